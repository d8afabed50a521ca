#include "symbols/symbolizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "symbols/debian_packages.h"
#include "symbols/module_reader.h"

namespace memswell::symbols {
namespace {

bool has_name(const trace::Frame& frame) {
  const bool place = frame.kind == trace::FrameKind::call || frame.kind == trace::FrameKind::exact;
  return place && frame.module != ModuleId{};
}

}  // namespace

// One module's part of a batch.
struct Symbolizer::Task {
  trace::Module module;
  std::vector<Address> missing;  // not in the cache; ascending
  NameTable names;
  bool done = false;
  bool worth_keeping = false;  // all that the files give
};

Address lookup_address(const trace::Frame& frame) {
  return frame.kind == trace::FrameKind::call && frame.offset > 0 ? frame.offset - 1 : frame.offset;
}

Symbolizer::Symbolizer(SymbolizerOptions options) : options_(std::move(options)), cache_(options_.cache_directory) {}

void Symbolizer::add(const trace::Module& module) { modules_.insert_or_assign(module.id, module); }

std::vector<Symbolizer::Task> Symbolizer::make_tasks(std::span<const trace::Frame> frames) const {
  std::map<ModuleId, std::vector<Address>> by_module;
  for (const auto& frame : frames) {
    if (has_name(frame) && modules_.contains(frame.module)) by_module[frame.module].push_back(lookup_address(frame));
  }
  std::vector<Task> tasks;
  for (auto& [id, addresses] : by_module) {
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    Task& task = tasks.emplace_back();
    task.module = modules_.at(id);
    if (auto known = cache_.load(task.module.path, task.module.build_id)) task.names = std::move(*known);
    std::erase_if(addresses, [&](Address address) { return task.names.contains(address); });
    task.missing = std::move(addresses);
  }
  return tasks;
}

// Results that do not decode count as a crash.
void Symbolizer::read(std::vector<Task*>& tasks) const {
  for (const ReadDepth depth : {ReadDepth::debug_info, ReadDepth::symbol_tables}) {
    std::vector<Task*> left;
    std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(left), [](const Task* task) { return !task->done; });
    std::vector<Work> works;
    for (const Task* task : left) {
      works.push_back([this, task, depth] {
        return read_names({task->module.path, task->module.build_id, task->missing, options_.search, depth}).encode();
      });
    }
    const auto results = run_isolated(works, options_.limits);
    for (std::size_t i = 0; i < left.size(); ++i) {
      auto read = results[i] ? NameTable::decode(*results[i]) : std::nullopt;
      Task& task = *left[i];
      task.done = read.has_value();
      task.worth_keeping = task.done && depth == ReadDepth::debug_info;
      const std::string trouble = std::exchange(task.names.note, {});
      if (!read) {
        task.names.note = results[i] ? "reading it went wrong" : results[i].error().sentence;
        continue;
      }
      if (depth == ReadDepth::symbol_tables)
        read->note += fmt::format("; its debug information is unusable: {}", trouble);
      read->add(task.names);
      task.names = std::move(*read);
    }
  }
}

void Symbolizer::add_package_hints(std::vector<Task*>& tasks) const {
  std::vector<std::string> paths;
  for (const Task* task : tasks) {
    if (task->done && !task->names.debug_info && task->names.size() > 0) paths.push_back(task->module.path);
  }
  if (paths.empty()) return;
  const auto packages = debug_packages(paths);
  for (Task* task : tasks) {
    if (!task->done || task->names.debug_info || task->names.size() == 0) continue;
    const auto package = packages.find(task->module.path);
    const std::string id =
        task->module.build_id.empty() ? "" : fmt::format(" (build-id {})", hex(task->module.build_id));
    task->names.note +=
        package == packages.end()
            ? fmt::format("; a build with -g that is not stripped, or its separate debug file{} gives more", id)
            : fmt::format("; install {}{} for more", package->second, id);
  }
}

void Symbolizer::read_missing(std::vector<Task>& tasks) const {
  std::vector<Task*> reading;
  for (Task& task : tasks) {
    if (!task.missing.empty()) reading.push_back(&task);
  }
  if (reading.empty()) return;
  read(reading);
  add_package_hints(reading);
  for (const Task* task : reading) {
    if (task->worth_keeping) cache_.store(task->names);
  }
}

Names Symbolizer::symbolize(std::span<const trace::Frame> frames) const {
  auto tasks = make_tasks(frames);
  read_missing(tasks);
  Names names;
  std::unordered_map<ModuleId, const NameTable*> tables;
  for (const Task& task : tasks) {
    tables.emplace(task.module.id, &task.names);
    names.modules.push_back({task.module.id, task.names.symbol_table, task.names.debug_info, task.names.note});
  }
  names.frames.reserve(frames.size());
  for (const auto& frame : frames) {
    auto& named = names.frames.emplace_back(trace::FrameSymbols{frame, {}});
    const auto table = has_name(frame) ? tables.find(frame.module) : tables.end();
    if (table != tables.end()) named.levels = table->second->find(lookup_address(frame));
  }
  return names;
}

}  // namespace memswell::symbols
