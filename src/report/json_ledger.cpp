#include "report/json_ledger.h"

#include <array>

namespace memswell::report {
namespace {

using analysis::LedgerSnapshot;

std::string_view cause_key(trace::SnapshotCause cause) {
  switch (cause) {
    case trace::SnapshotCause::periodic: return "periodic";
    case trace::SnapshotCause::phase: return "phase";
    case trace::SnapshotCause::peak: return "peak";
    case trace::SnapshotCause::exit: return "exit";
    case trace::SnapshotCause::mark: return "mark";
    case trace::SnapshotCause::before_release: return "before_release";
    case trace::SnapshotCause::start: return "start";
  }
  return "periodic";
}

std::string_view source_key(trace::PageSource source) {
  switch (source) {
    case trace::PageSource::none: return "none";
    case trace::PageSource::pagemap_scan: return "pagemap_scan";
    case trace::PageSource::pagemap: return "pagemap";
    case trace::PageSource::smaps_only: return "smaps_only";
  }
  return "none";
}

void write_rows(JsonWriter& json, const LedgerSnapshot& snapshot) {
  json.begin_array("rows");
  for (const analysis::LedgerRow& row : snapshot.rows) {
    json.begin_object();
    json.text("owner", analysis::kOwnerTexts[static_cast<std::size_t>(row.owner)].key);
    json.number("bytes", row.bytes);
    json.end_object();
  }
  json.end_array();
}

void write_beside(JsonWriter& json, const analysis::Beside& beside) {
  json.begin_object("beside");
  json.number("untouched_bytes", beside.untouched_bytes);
  json.number("swapped_bytes", beside.swapped_bytes);
  json.number("lazily_freed_bytes", beside.lazily_freed_bytes);
  json.number("zero_read_bytes", beside.zero_read_bytes);
  json.number("huge_rounding_bytes", beside.huge_rounding_bytes);
  json.number("overallocated_bytes", beside.overallocated_bytes);
  json.number("idle_bytes", beside.idle_bytes);
  json.end_object();
}

void write_shares(JsonWriter& json, const LedgerSnapshot& snapshot) {
  json.begin_array("sites");
  for (const analysis::SiteShare& share : snapshot.sites) {
    json.begin_object();
    json.number("site", share.site.value);
    json.number("live_bytes", share.live_bytes);
    json.number("live_blocks", share.live_blocks);
    json.number("resident_bytes", share.resident_bytes);
    json.number("untouched_bytes", share.untouched_bytes);
    json.number("slack_bytes", share.slack_bytes);
    json.number("pinned_bytes", share.pinned_bytes);
    if (share.returns_known) {
      json.number("returns_bytes", share.returns_bytes);
      json.number("returns_bound_bytes", share.returns_bound_bytes);
    } else {
      json.null("returns_bytes");
      json.null("returns_bound_bytes");
    }
    json.number("mapped_bytes", share.mapped_bytes);
    json.number("mapped_size_bytes", share.mapped_size_bytes);
    json.number("huge_bytes", share.huge_bytes);
    json.number("idle_bytes", share.idle_bytes);
    json.end_object();
  }
  json.end_array();
}

void write_files(JsonWriter& json, const LedgerSnapshot& snapshot) {
  json.begin_array("files");
  for (const analysis::FileRow& file : snapshot.files) {
    json.begin_object();
    json.text("path", file.path);
    json.number("clean_bytes", file.clean_bytes);
    json.number("dirty_bytes", file.dirty_bytes);
    json.number("copied_bytes", file.copied_bytes);
    json.end_object();
  }
  json.end_array();
}

void write_arenas(JsonWriter& json, const LedgerSnapshot& snapshot) {
  json.begin_array("arenas");
  for (const analysis::ArenaRow& arena : snapshot.arenas) {
    json.begin_object();
    json.number("begin", arena.begin);
    json.number("end", arena.end);
    json.flag("main", arena.main);
    json.number("resident_bytes", arena.resident_bytes);
    json.number("live_bytes", arena.live_bytes);
    json.number("free_bytes", arena.free_bytes);
    json.number("live_blocks", arena.live_blocks);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_snapshot(JsonWriter& json, const LedgerSnapshot& snapshot) {
  json.begin_object();
  json.text("at", snapshot.at);
  json.text("cause", cause_key(snapshot.cause));
  json.text("phase", snapshot.phase);
  json.number("time_ns", snapshot.time_ns);
  json.number("rss_bytes", snapshot.rss_bytes);
  json.number("smaps_rss_bytes", snapshot.smaps_rss_bytes);
  json.number("own_bytes", snapshot.own_bytes);
  json.number("private_dirty_bytes", snapshot.private_dirty_bytes);
  json.number("pss_bytes", snapshot.pss_bytes);
  write_rows(json, snapshot);
  json.number("difference_bytes", snapshot.difference_bytes);
  write_beside(json, snapshot.beside);
  json.number("live_bytes", snapshot.live_bytes);
  json.number("usable_bytes", snapshot.usable_bytes);
  json.number("live_blocks", snapshot.live_blocks);
  json.text("source", source_key(snapshot.source));
  json.flag("consistent", snapshot.consistent);
  json.number("pause_ns", snapshot.pause_ns);
  if (snapshot.idle_since_ns) {
    json.number("idle_since_ns", *snapshot.idle_since_ns);
  } else {
    json.null("idle_since_ns");
  }
  json.flag("heap_exact", snapshot.heap_exact);
  json.number("ambiguous_bytes", snapshot.ambiguous_bytes);
  json.number("page_bytes_returnable", snapshot.page_bytes_returnable);
  json.number("top_bytes", snapshot.top_bytes);
  json.number("free_pieces", snapshot.free_pieces);
  json.number("largest_piece_bytes", snapshot.largest_piece_bytes);
  json.number("thread_stacks", snapshot.thread_stacks);
  json.number("thread_stack_reserved_bytes", snapshot.thread_stack_reserved_bytes);
  write_shares(json, snapshot);
  write_files(json, snapshot);
  write_arenas(json, snapshot);
  json.end_object();
}

}  // namespace memswell::report
