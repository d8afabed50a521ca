#include "capture/layout.h"

#include <algorithm>
#include <cstring>

namespace memswell::capture {
namespace {

// Marks of why a walk ended are pcs that no code can have.
trace::FrameKind mark_of(std::uint64_t pc) {
  switch (static_cast<format::WalkEnd>(pc)) {
    case format::WalkEnd::depth_limit: return trace::FrameKind::depth_limit;
    case format::WalkEnd::unreadable: return trace::FrameKind::unreadable;
    case format::WalkEnd::no_unwind_data: return trace::FrameKind::no_unwind_data;
  }
  return trace::FrameKind::no_unwind_data;
}

}  // namespace

std::size_t FrameTable::Hash::operator()(const trace::Frame& frame) const noexcept {
  std::uint64_t mixed = frame.offset * 0x9e37'79b9'7f4a'7c15;
  mixed ^= (std::uint64_t{frame.module.value} << 8 | static_cast<std::uint64_t>(frame.kind)) * 0xc2b2'ae3d'27d4'eb4f;
  return mixed ^ mixed >> 32;
}

FrameIndex FrameTable::index_of(const trace::Frame& frame) {
  const auto [place, is_new] = indices_.try_emplace(frame, static_cast<FrameIndex>(frames_.size()));
  if (is_new) frames_.push_back(frame);
  return place->second;
}

void Layout::refresh() {
  const std::uint32_t published = std::min(header_.modules.load(std::memory_order_acquire), format::kLayoutModules);
  while (taken_ < published) take(header_.module[taken_++]);
}

void Layout::take(const format::ModuleEntry& shared) {
  format::ModuleEntry entry;
  std::memcpy(&entry, &shared, sizeof entry);
  if (entry.begin >= entry.end || entry.path_offset > format::kLayoutStringBytes ||
      entry.path_length > format::kLayoutStringBytes - entry.path_offset)
    return;
  std::string path(header_.strings + entry.path_offset, entry.path_length);
  if (path.empty()) path = executable_;
  const std::size_t id_bytes = std::min<std::size_t>(entry.build_id_length, sizeof entry.build_id);
  const std::vector<std::uint8_t> build_id(entry.build_id, entry.build_id + id_bytes);
  modules_.push_back({module_table_.id_of(path, build_id), entry.begin, entry.end, entry.load_bias});
}

// Backwards: should a broken program announce two modules at one place, the later one holds.
const PlacedModule* Layout::module_at(Address address) const {
  const auto found = std::find_if(modules_.rbegin(), modules_.rend(), [address](const PlacedModule& module) {
    return address >= module.begin && address < module.end;
  });
  return found == modules_.rend() ? nullptr : &*found;
}

FrameIndex Layout::look_up(std::uint64_t pc) {
  trace::Frame frame;
  const Address address = pc & format::kPcMask;
  if (pc < format::kFirstPc) {
    frame.kind = mark_of(pc);
  } else {
    const bool exact = (pc & format::kExactPc) != 0;
    // A return address may stand one past the end of the module: the call was the function's last instruction.
    const Address inside = exact ? address : address - 1;
    const PlacedModule* module = module_at(inside);
    if (module == nullptr) {
      refresh();
      module = module_at(inside);
    }
    frame.kind = exact ? trace::FrameKind::exact : trace::FrameKind::call;
    frame.module = module == nullptr ? ModuleId{} : module->module;
    frame.offset = module == nullptr ? address : address - module->bias;
  }
  const FrameIndex index = frame_table_.index_of(frame);
  known_.emplace(pc, index);
  return index;
}

}  // namespace memswell::capture
