// Address -> name, last of all: when a recording is complete, every distinct frame of it is named in one batch.
// Distinct places only, grouped by module; modules are read in child processes, at most one a processor at a time, each
// address once; what was read is kept in a cache by build-id. Not to be shared between threads.
//
//   Symbolizer symbolizer;
//   for (module : recording) symbolizer.add(module);
//   auto [frames, modules] = symbolizer.symbolize(distinct_frames);
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbols/debug_file_search.h"
#include "symbols/isolated_work.h"
#include "symbols/name_cache.h"
#include "trace/events.h"

namespace memswell::symbols {

struct SymbolizerOptions {
  DebugFileSearch search;
  std::string cache_directory = default_cache_directory();  // empty: no cache
  WorkLimits limits;                                        // of the children that read the files
};

struct Names {
  std::vector<trace::FrameSymbols> frames;    // in the order asked; no levels: no name (print module+0xoffset)
  std::vector<trace::ModuleSymbols> modules;  // of every module that a frame was asked in
};

class Symbolizer {
 public:
  explicit Symbolizer(SymbolizerOptions options = {});

  void add(const trace::Module& module);
  Names symbolize(std::span<const trace::Frame> frames) const;

 private:
  struct Task;
  std::vector<Task> make_tasks(std::span<const trace::Frame> frames) const;
  void read_missing(std::vector<Task>& tasks) const;
  void read(std::vector<Task*>& tasks) const;
  void add_package_hints(std::vector<Task*>& tasks) const;

  SymbolizerOptions options_;
  NameCache cache_;
  std::unordered_map<ModuleId, trace::Module> modules_;
};

// The address to look up for a frame: a return address lies behind its call, perhaps already in the next line or
// function.
Address lookup_address(const trace::Frame& frame);

}  // namespace memswell::symbols
