#include "capture/event_translator.h"

#include <algorithm>

namespace memswell::capture {

using format::RecordKind;
using trace::AllocationKind;
using trace::BlockNote;
using trace::MappingEvent;
using trace::Release;

namespace {

bool has_no_stack(const RingRecord& record) { return record.level == format::kStackLevels - 1 && record.push == 0; }

}  // namespace

Emitted EventTranslator::translate(Ring& ring, const RingRecord& record) {
  Image& image = *ring.image;
  switch (record.kind) {
    case RecordKind::malloc: return translate_allocation(ring, record, AllocationKind::malloc);
    case RecordKind::free: return translate_release(ring, record, Release::Kind::free);
    case RecordKind::calloc: return translate_allocation(ring, record, AllocationKind::calloc);
    case RecordKind::aligned: return translate_allocation(ring, record, AllocationKind::aligned);
    case RecordKind::realloc_begin: return translate_release(ring, record, Release::Kind::realloc);
    case RecordKind::realloc_end: return translate_allocation(ring, record, AllocationKind::realloc);
    case RecordKind::realloc_failed: return translate_release(ring, record, Release::Kind::realloc_failed);
    case RecordKind::operator_new: return translate_allocation(ring, record, AllocationKind::operator_new);
    case RecordKind::map: return translate_mapping(ring, record, MappingEvent::Kind::map);
    case RecordKind::remap: return translate_mapping(ring, record, MappingEvent::Kind::remap);
    case RecordKind::unmap: return translate_mapping(ring, record, MappingEvent::Kind::unmap);
    case RecordKind::advise: return translate_mapping(ring, record, MappingEvent::Kind::advise);
    case RecordKind::heap_break: return translate_mapping(ring, record, MappingEvent::Kind::heap_break);
    case RecordKind::layout: return translate_layout(ring, record);
    case RecordKind::thread:
      begin_thread(ring, static_cast<std::uint32_t>(record.address), time_of(image, record.stamp));
      return Emitted::taken;
    case RecordKind::mark_phase:
      control_.on_phase(image, ring.reader.text(record), time_of(image, record.stamp));
      return Emitted::taken_last;
    case RecordKind::mark_value: return translate_value(ring, record);
    case RecordKind::block_used: return translate_note(ring, record, BlockNote::Kind::used);
    case RecordKind::pool_free: return translate_note(ring, record, BlockNote::Kind::pool_free);
    case RecordKind::pool_alloc: return translate_note(ring, record, BlockNote::Kind::pool_alloc);
    case RecordKind::forking: return control_.on_forking(image, record.stamp);
    case RecordKind::executing:
      control_.on_executing(image, {ring.reader.text(record), static_cast<format::ExecNote>(record.small),
                                    static_cast<std::uint32_t>(record.address), time_of(image, record.stamp)});
      return Emitted::taken_last;
    case RecordKind::exec_failed: control_.on_exec_failed(image); return Emitted::taken;
    case RecordKind::exiting:
      control_.on_exiting(image, static_cast<std::uint8_t>(record.address));
      return Emitted::taken_last;
    case RecordKind::none: return Emitted::broken;
  }
  return Emitted::broken;
}

Nanoseconds EventTranslator::time_of(Image& image, std::uint64_t stamp) {
  image.last_time = std::max(image.last_time, clock_.time_of(stamp));
  return image.last_time;
}

bool EventTranslator::stack_of(Ring& ring, const RingRecord& record, StackId& stack) {
  const std::size_t modules_before = ring.layout->modules().size();
  const bool makes_sense = stacks_.apply(ring.stacks, record, ring.reader, *ring.layout, stack);
  if (ring.layout->modules().size() != modules_before) [[unlikely]]
    write_mappings(*ring.image, *ring.layout);
  return makes_sense;
}

template <class Event>
void EventTranslator::hand_on(Image& image, const Event& event) {
  if (image.earlier) [[unlikely]]
    image.earlier->on(event);
  else
    writer_.write(event);
}

Emitted EventTranslator::translate_allocation(Ring& ring, const RingRecord& record, AllocationKind kind) {
  StackId stack;
  if (!stack_of(ring, record, stack)) return Emitted::broken;
  const trace::Allocation event{.process = ring.image->index,
                                .thread = ring.thread,
                                .time = time_of(*ring.image, record.stamp),
                                .address = record.address,
                                .requested = record.requested,
                                .usable = record.usable,
                                .stack = has_no_stack(record) ? calls_.earlier_stack() : stack,
                                .kind = kind,
                                .replaced = kind == AllocationKind::realloc ? record.extra[0] : 0};
  ++events_;
  hand_on(*ring.image, event);
  return Emitted::taken;
}

Emitted EventTranslator::translate_release(Ring& ring, const RingRecord& record, Release::Kind kind) {
  ++events_;
  hand_on(*ring.image, trace::Release{
      ring.image->index, ring.thread, time_of(*ring.image, record.stamp), record.address, kind});
  return Emitted::taken;
}

Emitted EventTranslator::translate_mapping(Ring& ring, const RingRecord& record, MappingEvent::Kind kind) {
  MappingEvent event;
  event.process = ring.image->index;
  event.thread = ring.thread;
  event.time = time_of(*ring.image, record.stamp);
  event.kind = kind;
  event.address = record.address;
  switch (kind) {
    case MappingEvent::Kind::map:
      event.length = record.requested;
      event.protection = static_cast<std::uint32_t>(record.extra[0]);
      event.flags = static_cast<std::uint32_t>(record.extra[0] >> 32) & 0x7fff'ffff;
      event.file_backed = record.extra[0] >> 63 != 0;
      break;
    case MappingEvent::Kind::remap:
      event.length = record.requested;
      event.old_address = record.extra[0];
      event.old_length = record.extra[1];
      break;
    case MappingEvent::Kind::unmap: event.length = record.extra[0]; break;
    case MappingEvent::Kind::advise:
      event.length = record.extra[0];
      event.flags = record.small;
      break;
    case MappingEvent::Kind::heap_break: event.old_address = record.extra[0]; break;
  }
  if (kind != MappingEvent::Kind::unmap && kind != MappingEvent::Kind::advise) {
    if (!stack_of(ring, record, event.stack)) return Emitted::broken;
  }
  writer_.write(event);
  return Emitted::taken;
}

Emitted EventTranslator::translate_note(Ring& ring, const RingRecord& record, BlockNote::Kind kind) {
  const trace::BlockNote note{ring.image->index, time_of(*ring.image, record.stamp), kind, record.address, record.extra[0]};
  if (ring.image->earlier) ring.image->earlier->on(note);
  writer_.write(note);
  return Emitted::taken;
}

Emitted EventTranslator::translate_value(Ring& ring, const RingRecord& record) {
  writer_.write(trace::Mark{ring.image->index, time_of(*ring.image, record.stamp), trace::Mark::Kind::value,
                            ring.reader.text(record), static_cast<std::int64_t>(record.extra[0])});
  control_.on_value(*ring.image);
  return Emitted::taken_last;
}

Emitted EventTranslator::translate_layout(Ring& ring, const RingRecord& record) {
  // 0: the program found no room for a layout.
  Layout* layout = record.address == 0 ? &layouts_.none() : layouts_.open(record.address, ring.image->executable);
  if (layout == nullptr) return Emitted::broken;
  ring.layout = layout;
  layout->refresh();
  write_mappings(*ring.image, *layout);
  return Emitted::taken;
}

void EventTranslator::write_mappings(Image& image, Layout& layout) {
  for (const PlacedModule& module : layout.modules()) {
    if (!image.mapped_modules.emplace(module.module.value, module.begin, module.bias).second) continue;
    writer_.write(
        trace::ModuleMapping{image.index, module.module, image.last_time, module.begin, module.end, module.bias});
  }
}

void EventTranslator::begin_thread(Ring& ring, std::uint32_t tid, Nanoseconds time) {
  ring.tid = tid;
  for (const Ring* other : ring.image->rings) {
    if (other == &ring || other->tid != tid || tid == 0) continue;
    ring.thread = other->thread;
    return;
  }
  ring.thread = ThreadIndex{threads_++};
  writer_.write(trace::ThreadBegin{ring.image->index, ring.thread, tid, time});
}

}  // namespace memswell::capture
