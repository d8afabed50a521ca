#include <unordered_map>

#include "report/exports.h"
#include "report/json_writer.h"
#include "report/site_report.h"
#include "report/site_text.h"

namespace memswell::report {
namespace {

class FrameTable {
 public:
  std::uint64_t index_of(const std::string& name) {
    const auto [entry, added] = indices_.try_emplace(name, names_.size());
    if (added) names_.push_back(name);
    return entry->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::unordered_map<std::string, std::uint64_t> indices_;
  std::vector<std::string> names_;
};

void write_samples(JsonWriter& json, const std::vector<WeightedStack>& stacks, FrameTable& frames) {
  json.begin_array("samples");
  for (const WeightedStack& stack : stacks) {
    json.begin_array();
    for (const std::string& name : stack.names) json.number(frames.index_of(name));
    json.end_array();
  }
  json.end_array();
  json.begin_array("weights");
  for (const WeightedStack& stack : stacks) json.number(stack.value);
  json.end_array();
}

}  // namespace

// https://www.speedscope.app/file-format-schema.json, type "sampled".
std::string export_speedscope(const analysis::RunReport& run, const ExportOptions& options) {
  const std::vector<WeightedStack> stacks = weighted_stacks(run, options);
  std::uint64_t total = 0;
  for (const WeightedStack& stack : stacks) total += stack.value;
  FrameTable frames;
  const std::string name = command_text(run.command);
  JsonWriter json(JsonLayout::compact);
  json.begin_object();
  json.text("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.text("exporter", "memswell");
  json.text("name", name);
  json.begin_array("profiles");
  json.begin_object();
  json.text("type", "sampled");
  json.text("name", name + ", " + std::string(cost_words(options.cost)));
  json.text("unit", counts_bytes(options.cost) ? "bytes" : "none");
  json.number("startValue", 0);
  json.number("endValue", total);
  write_samples(json, stacks, frames);
  json.end_object();
  json.end_array();
  json.begin_object("shared");
  json.begin_array("frames");
  for (const std::string& frame : frames.names()) {
    json.begin_object();
    json.text("name", frame);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_object();
  return json.take();
}

}  // namespace memswell::report
