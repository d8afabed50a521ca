#include "workloads/check.h"

#include <fmt/format.h>

#include <cmath>

namespace memswell::workloads {
namespace {

constexpr std::string_view kBase = "base";

std::optional<double> measured(const Expectation& expected, const Truth& truth) {
  const auto value = truth.figure(expected.phase, expected.metric);
  if (!value || !expected.since_base) return value;
  const auto base = truth.figure(kBase, expected.metric);
  return base ? std::optional(static_cast<double>(*value - *base)) : std::nullopt;
}

bool holds(const Expectation& expected, double value) {
  switch (expected.relation) {
    case Relation::about: return std::abs(value - expected.value) <= expected.tolerance;
    case Relation::at_most: return value <= expected.value;
    case Relation::at_least: return value >= expected.value;
    case Relation::exactly: return value == expected.value;
  }
  return false;
}

// Counts and bytes of the program's own making do not depend on the machine; pages and the allocator's doing do.
bool applies(const Expectation& expected, const Machine& machine) {
  switch (expected.needs) {
    case Needs::nothing: break;
    case Needs::zero_page: return machine.zero_page && machine.objection().empty();
    case Needs::no_zero_page: return !machine.zero_page && machine.objection().empty();
    case Needs::huge_pages: return machine.huge_pages_offered && machine.objection().empty();
  }
  const bool own_count = expected.relation == Relation::exactly && expected.metric.find("page") == std::string_view::npos;
  return own_count || machine.objection().empty();
}

}  // namespace

std::vector<Checked> check(const Variant& variant, const Truth& truth, const Machine& machine) {
  std::vector<Checked> all;
  for (const Expectation& expected : variant.expected) {
    Checked& checked = all.emplace_back(Checked{expected, measured(expected, truth)});
    if (!applies(expected, machine)) checked.verdict = Verdict::not_applicable;
    else if (checked.measured && holds(expected, *checked.measured)) checked.verdict = Verdict::holds;
  }
  return all;
}

std::string sentence(const Checked& checked) {
  constexpr std::string_view kRelations[] = {"about", "at most", "at least", "exactly"};
  constexpr std::string_view kVerdicts[] = {"holds", "fails", "does not apply here"};
  const Expectation& expected = checked.expected;
  return fmt::format("{} {}{} {} {:.0f}{}, measured {}: {}", expected.phase.empty() ? "run" : expected.phase,
                     expected.metric, expected.since_base ? " since base" : "",
                     kRelations[static_cast<std::size_t>(expected.relation)], expected.value,
                     expected.tolerance > 0 ? fmt::format(" ± {:.0f}", expected.tolerance) : "",
                     checked.measured ? fmt::format("{:.0f}", *checked.measured) : "nothing",
                     kVerdicts[static_cast<std::size_t>(checked.verdict)]);
}

}  // namespace memswell::workloads
