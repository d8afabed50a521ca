#include "workloads/truth.h"

#include <rapidjson/document.h>

#include <algorithm>

namespace memswell::workloads {
namespace {

void take_numbers(const rapidjson::Value& object, Figures& figures) {
  for (const auto& member : object.GetObject()) {
    if (member.value.IsInt64()) figures.emplace(member.name.GetString(), member.value.GetInt64());
  }
}

bool begins_with_one_of(std::string_view name, std::string_view prefixes) {
  while (!prefixes.empty()) {
    const std::size_t end = std::min(prefixes.find(' '), prefixes.size());
    if (name.starts_with(prefixes.substr(0, end))) return true;
    prefixes.remove_prefix(std::min(end + 1, prefixes.size()));
  }
  return false;
}

}  // namespace

const TruthPhase* Truth::phase(std::string_view name) const {
  const auto found = std::ranges::find(phases, name, &TruthPhase::name);
  return found != phases.end() ? &*found : nullptr;
}

std::optional<std::int64_t> Truth::figure(std::string_view name, std::string_view metric) const {
  const TruthPhase* in = name.empty() ? nullptr : phase(name);
  if (!name.empty() && in == nullptr) return std::nullopt;
  const Figures& figures = in != nullptr ? in->figures : totals;
  const auto found = figures.find(metric);
  return found != figures.end() ? std::optional(found->second) : std::nullopt;
}

std::int64_t Truth::sum(std::string_view prefixes, std::string_view metric) const {
  std::int64_t sum = 0;
  for (const TruthPhase& each : phases) {
    if (begins_with_one_of(each.name, prefixes)) sum += figure(each.name, metric).value_or(0);
  }
  return sum;
}

Result<Truth> parse_truth(std::string_view text) {
  rapidjson::Document document;
  document.Parse(text.data(), text.size());
  const bool whole = !document.HasParseError() && document.IsObject() && document.HasMember("workload") &&
                     document["workload"].IsString() && document.HasMember("phases") && document["phases"].IsArray();
  if (!whole) return Error{"the workload did not print its figures as one line of JSON"};
  Truth truth;
  truth.workload = document["workload"].GetString();
  truth.recorded = document.HasMember("recorded") && document["recorded"].IsTrue();
  take_numbers(document, truth.totals);
  for (const auto& each : document["phases"].GetArray()) {
    if (!each.IsObject() || !each.HasMember("name") || !each["name"].IsString())
      return Error{"a phase of the workload's figures has no name"};
    TruthPhase& phase = truth.phases.emplace_back();
    phase.name = each["name"].GetString();
    take_numbers(each, phase.figures);
    if (each.HasMember("facts") && each["facts"].IsObject()) take_numbers(each["facts"], phase.figures);
  }
  return truth;
}

}  // namespace memswell::workloads
