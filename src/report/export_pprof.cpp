#include <unordered_map>

#include "report/exports.h"
#include "report/protobuf.h"
#include "report/selection.h"
#include "report/site_text.h"
#include "report/stack_text.h"

namespace memswell::report {
namespace {

// Field numbers of github.com/google/pprof/proto/profile.proto.
namespace field {
constexpr std::uint32_t kSampleType = 1, kSample = 2, kLocation = 4, kFunction = 5, kStringTable = 6, kTimeNanos = 9,
                        kDurationNanos = 10, kDefaultSampleType = 14;
constexpr std::uint32_t kTypeName = 1, kTypeUnit = 2;
constexpr std::uint32_t kSampleLocations = 1, kSampleValues = 2;
constexpr std::uint32_t kLocationId = 1, kLocationLine = 4;
constexpr std::uint32_t kLineFunction = 1;
constexpr std::uint32_t kFunctionId = 1, kFunctionName = 2, kFunctionSystemName = 3;
}  // namespace field

struct ValueType {
  analysis::Cost cost;
  const char* name;
  const char* unit;
};

constexpr ValueType kValues[] = {
    {analysis::Cost::live_at_peak, "peak_space", "bytes"},   {analysis::Cost::allocated, "alloc_space", "bytes"},
    {analysis::Cost::calls, "alloc_objects", "count"},       {analysis::Cost::unfreed, "inuse_space", "bytes"},
    {analysis::Cost::temporary, "temporary_objects", "count"}, {analysis::Cost::slack, "rounding_space", "bytes"},
};

class ProfileWriter {
 public:
  ProfileWriter() { string(""); }  // entry 0 must be empty

  void add_types() {
    for (const ValueType& value : kValues) {
      ProtobufMessage type;
      type.varint(field::kTypeName, string(value.name));
      type.varint(field::kTypeUnit, string(value.unit));
      profile_.message(field::kSampleType, type);
    }
  }

  void add_sample(const std::vector<std::string>& names, const analysis::Figures& figures) {
    std::vector<std::uint64_t> locations;
    for (auto name = names.rbegin(); name != names.rend(); ++name) locations.push_back(location(*name));
    std::vector<std::uint64_t> values;
    for (const ValueType& value : kValues) values.push_back(analysis::cost_of(figures, value.cost));
    ProtobufMessage sample;
    sample.packed(field::kSampleLocations, locations);
    sample.packed(field::kSampleValues, values);
    profile_.message(field::kSample, sample);
  }

  std::string finish(const analysis::RunReport& run, analysis::Cost shown) {
    for (const ValueType& value : kValues) {
      if (value.cost == shown) profile_.varint(field::kDefaultSampleType, string(value.name));
    }
    profile_.varint(field::kTimeNanos, run.started_unix_ns);
    profile_.varint(field::kDurationNanos, run.duration_ns);
    for (const std::string& text : strings_) profile_.bytes(field::kStringTable, text);
    return profile_.data();
  }

 private:
  std::uint64_t string(const std::string& text) {
    const auto [entry, added] = string_indices_.try_emplace(text, strings_.size());
    if (added) strings_.push_back(text);
    return entry->second;
  }

  // A location and a function of the same number for each name; numbers begin at 1.
  std::uint64_t location(const std::string& name) {
    const auto [entry, added] = locations_.try_emplace(name, locations_.size() + 1);
    if (added) {
      ProtobufMessage function;
      function.varint(field::kFunctionId, entry->second);
      function.varint(field::kFunctionName, string(name));
      function.varint(field::kFunctionSystemName, string(name));
      profile_.message(field::kFunction, function);
      ProtobufMessage line;
      line.varint(field::kLineFunction, entry->second);
      ProtobufMessage place;
      place.varint(field::kLocationId, entry->second);
      place.message(field::kLocationLine, line);
      profile_.message(field::kLocation, place);
    }
    return entry->second;
  }

  ProtobufMessage profile_;
  std::vector<std::string> strings_;
  std::unordered_map<std::string, std::uint64_t> string_indices_;
  std::unordered_map<std::string, std::uint64_t> locations_;
};

}  // namespace

std::string export_pprof(const analysis::RunReport& run, const ExportOptions& options) {
  ProfileWriter writer;
  writer.add_types();
  for (const analysis::ProcessReport* process : processes_with(run, options.pid)) {
    for (const analysis::StackFigures& stack : process->stacks)
      writer.add_sample(stack_names(run.stacks, stack.stack), stack.figures);
  }
  return writer.finish(run, options.cost);
}

}  // namespace memswell::report
