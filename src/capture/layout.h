// One state of a process's modules (format::LayoutHeader), read out of the region: from a pc to a frame.
//
// Modules are only ever added to a layout, nearly always before a record that holds a pc in them. So the module that a pc
// was found in stays true for the layout's life, and the list is read again only when a pc lies in no known module.
// A module with an empty path is the executable.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <string>
#include <vector>

#include "capture/module_table.h"
#include "trace/events.h"
#include "trace/format.h"

namespace memswell::capture {

using FrameIndex = std::uint32_t;  // of FrameTable

// Numbers the distinct frames of a recording.
class FrameTable {
 public:
  FrameIndex index_of(const trace::Frame& frame);
  const trace::Frame& frame(FrameIndex index) const { return frames_[index]; }
  const std::vector<trace::Frame>& frames() const { return frames_; }
  // A number for a layout, never used again.
  std::uint32_t number_layout() { return ++layouts_; }

 private:
  struct Hash {
    std::size_t operator()(const trace::Frame& frame) const noexcept;
  };
  std::vector<trace::Frame> frames_;
  tsl::robin_map<trace::Frame, FrameIndex, Hash> indices_;
  std::uint32_t layouts_ = 0;
};

struct PlacedModule {
  ModuleId module;
  Address begin = 0;
  Address end = 0;
  Address bias = 0;
};

class Layout {
 public:
  // `header` lies in the region and must stay mapped; `executable` is the path for the module with none.
  Layout(const format::LayoutHeader& header, std::string executable, ModuleTable& modules, FrameTable& frames)
      : header_(header), executable_(std::move(executable)), module_table_(modules), frame_table_(frames),
        number_(frames.number_layout()) {}

  std::uint32_t number() const { return number_; }

  FrameIndex frame_of(std::uint64_t pc) {
    const auto known = known_.find(pc);
    return known != known_.end() ? known->second : look_up(pc);
  }

  // Reads what was published since the last time.
  void refresh();
  const std::vector<PlacedModule>& modules() const { return modules_; }

 private:
  FrameIndex look_up(std::uint64_t pc);
  const PlacedModule* module_at(Address address) const;
  void take(const format::ModuleEntry& entry, Address end);

  struct PcHash {
    std::size_t operator()(std::uint64_t pc) const noexcept { return (pc * 0x9e37'79b9'7f4a'7c15) >> 20; }
  };

  const format::LayoutHeader& header_;
  std::string executable_;
  ModuleTable& module_table_;
  FrameTable& frame_table_;
  const std::uint32_t number_;
  std::vector<PlacedModule> modules_;
  std::vector<bool> taken_;        // entries of the header that were read, broken ones too
  std::vector<std::uint64_t> without_module_;  // pcs to look up again when modules come
  std::uint32_t first_open_ = 0;   // all before it are taken
  tsl::robin_map<std::uint64_t, FrameIndex, PcHash> known_;
};

}  // namespace memswell::capture
