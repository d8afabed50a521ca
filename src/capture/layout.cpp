#include "capture/layout.h"

#include <algorithm>

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
  const std::uint32_t claimed = std::min(header_.modules.load(std::memory_order_acquire), format::kLayoutModules);
  if (taken_.size() < claimed) taken_.resize(claimed, false);
  const std::size_t before = modules_.size();
  // An entry may stay unfinished for ever (its thread was forked away, or left by a signal handler's longjmp).
  for (std::uint32_t i = first_open_; i < claimed; ++i) {
    if (taken_[i]) continue;
    const Address end = header_.module[i].end.load(std::memory_order_acquire);
    if (end == 0) continue;
    taken_[i] = true;
    take(header_.module[i], end);
  }
  while (first_open_ < claimed && taken_[first_open_]) ++first_open_;
  if (modules_.size() == before) return;
  for (const std::uint64_t pc : without_module_) known_.erase(pc);
  without_module_.clear();
}

void Layout::take(const format::ModuleEntry& entry, Address end) {
  const Address begin = entry.begin;
  const Address bias = entry.load_bias;
  const std::uint32_t path_offset = entry.path_offset;
  const std::uint16_t path_length = entry.path_length;
  if (begin >= end || path_offset > format::kLayoutStringBytes || path_length > format::kLayoutStringBytes - path_offset)
    return;
  std::string path(header_.strings + path_offset, path_length);
  if (path.empty()) path = executable_;
  const std::size_t id_bytes = std::min<std::size_t>(entry.build_id_length, sizeof entry.build_id);
  const std::vector<std::uint8_t> build_id(entry.build_id, entry.build_id + id_bytes);
  modules_.push_back({module_table_.id_of(path, build_id), begin, end, bias});
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
    if (module == nullptr) without_module_.push_back(pc);
  }
  const FrameIndex index = frame_table_.index_of(frame);
  known_.emplace(pc, index);
  return index;
}

}  // namespace memswell::capture
