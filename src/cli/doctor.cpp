// memswell doctor: what this kernel, user and machine allow.
#include "cli/command.h"
#include "cli/output.h"
#include "probes/smaps/abilities.h"
#include "report/abilities_text.h"
#include "report/json_report.h"
#include "report/json_writer.h"

namespace memswell::cli {
namespace {

report::AbilityMark mark_of(smaps::AbilityState state) {
  switch (state) {
    case smaps::AbilityState::available: return report::AbilityMark::good;
    case smaps::AbilityState::missing: return report::AbilityMark::missing;
    case smaps::AbilityState::information: return report::AbilityMark::neutral;
  }
  return report::AbilityMark::neutral;
}

std::string_view key_of(smaps::AbilityState state) {
  switch (state) {
    case smaps::AbilityState::available: return "available";
    case smaps::AbilityState::missing: return "missing";
    case smaps::AbilityState::information: return "information";
  }
  return "information";
}

std::string json_of(const std::vector<smaps::Ability>& abilities) {
  report::JsonWriter json;
  json.begin_object();
  json.number("schema", report::kJsonSchema);
  json.begin_array("abilities");
  for (const smaps::Ability& ability : abilities) {
    json.begin_object();
    json.text("name", ability.name);
    json.text("state", key_of(ability.state));
    json.text("found", ability.found);
    json.text("consequence", ability.consequence);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

Result<int> run(bool json) {
  const std::vector<smaps::Ability> abilities = smaps::find_abilities();
  if (json) return print(json_of(abilities));
  std::vector<report::AbilityLine> lines;
  for (const smaps::Ability& ability : abilities)
    lines.push_back({ability.name, mark_of(ability.state), ability.found, ability.consequence});
  return print(report::abilities_text(lines, standard_output()));
}

Action declare(CommandLine& line) {
  const auto json = std::make_shared<bool>(false);
  line.flag("--json", *json, "print the same as JSON (docs/json.md)");
  return [json] { return run(*json); };
}

}  // namespace

Command doctor_command() {
  return {{.name = "doctor",
           .synopsis = "[OPTIONS]",
           .purpose = "Tries what this kernel, user and machine allow for measuring memory, and says what memswell uses where "
                      "something is missing and what that costs in exactness. Changes nothing.",
           .examples = {"memswell doctor                     what can be measured here",
                        "memswell doctor --json              for a script",
                        "memswell doctor | grep ^NO          only what is missing"}},
          "what can be measured on this machine",
          declare};
}

}  // namespace memswell::cli
