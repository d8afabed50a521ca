#include "analysis/process_analysis.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "analysis/findings.h"
#include "analysis/pulses.h"
#include "analysis/site_figures.h"
#include "probes/smaps/high_water_mark.h"

namespace memswell::analysis {

ProcessAnalysis::ProcessAnalysis(const trace::ProcessBegin& begin, const RunContext& run, Plan plan)
    : run_(run),
      plan_(std::move(plan)),
      ledger_(*run.stacks, begin.time, run.sampling),
      timeline_(run.options->keep_mappings),
      phases_(begin.time, begin.pid) {
  report_.index = begin.process;
  report_.pid = begin.pid;
  report_.ppid = begin.ppid;
  report_.start = begin.start;
  report_.command = begin.command;
  report_.executable = begin.executable;
  report_.begin_ns = begin.time;
  own_ = plan_.own;
}

void ProcessAnalysis::inherit(const ProcessAnalysis& parent) {
  ledger_ = parent.ledger_.fork(report_.begin_ns);
  mapped_ = parent.mapped_;
  history_ = parent.history_;
  if (own_.empty()) own_ = parent.own_;
  own_figures_ = parent.own_figures_;
  report_.allocator = parent.report_.allocator;
}

LiveFigures ProcessAnalysis::live() const {
  return {ledger_.live_bytes(), ledger_.usable_bytes(), ledger_.live_blocks()};
}

Bytes ProcessAnalysis::held_bytes() const {
  constexpr Bytes kMappedRange = sizeof(MappedRange) + 64;
  return sizeof(*this) + ledger_.held_bytes() + timeline_.held_bytes() + phases_.held_bytes() +
         mapped_.ranges().size() * kMappedRange + history_.held_bytes();
}

void ProcessAnalysis::on(const trace::CaptureNote& note) {
  report_.capture = note.capture;
  report_.capture_reason = note.reason;
  if (!note.allocator.empty()) report_.allocator = note.allocator;
}

void ProcessAnalysis::on(const trace::ProcessEnd& end) {
  end_ = end;
  phases_.on(end);
}

void ProcessAnalysis::on(const trace::Allocation& allocation) {
  history_.note(allocation.address, allocation.usable);
  ledger_.on(allocation);
}

void ProcessAnalysis::on(const trace::CallsBegin& begin) {
  for (const trace::EarlierBlock& block : begin.seen) history_.note(block.address, block.usable);
  ledger_.on(begin);
}

void ProcessAnalysis::on(const trace::FoldedCalls& calls) {
  history_.note(calls.heap_blocks, calls.heap_misfits, calls.heap_granules);
  ledger_.on(calls);
}

void ProcessAnalysis::on(const trace::Mark& mark) {
  if (mark.kind == trace::Mark::Kind::value) timeline_.value(mark.time, mark.name, mark.value, live());
}

void ProcessAnalysis::note_rss(Nanoseconds time, Bytes rss, Bytes own) {
  ProcessTotals& totals = report_.totals;
  if (rss > totals.peak_rss_sampled_bytes) {
    totals.peak_rss_sampled_bytes = rss;
    totals.peak_rss_ns = time;
  }
  totals.end_rss_bytes = rss;
  totals.end_rss_ns = time;
  totals.own_peak_bytes = std::max(totals.own_peak_bytes, own);
}

void ProcessAnalysis::on(const trace::Sample& sample) {
  timeline_.on(sample, live());
  phases_.on(sample);
  const Bytes own = std::min(sample.own_bytes, sample.rss_bytes);
  note_rss(sample.time, sample.rss_bytes - own, own);
  if (plan_.cuts.contains(sample.time)) {
    ledger_.cut(sample.time);
    ++windows_;
  }
}

void ProcessAnalysis::on(const trace::PhaseBoundary& boundary, std::uint32_t announced_by) {
  ledger_.cut(boundary.time);
  ++windows_;
  phases_.on(boundary, announced_by, windows_);
  timeline_.mark(boundary.time, boundary.name, live());
}

void ProcessAnalysis::on(const trace::PageSnapshot& snapshot) {
  if (!snapshot.own.empty()) own_ = snapshot.own;
  const std::size_t number = page_snapshots_++;
  pending_.reset();
  const bool planned = number >= plan_.join.size() || plan_.join[number];  // beyond the plan: the recording grew
  if (!run_.options->page_ledgers || !planned) return;
  pending_ = Pending{snapshot, ledger_.live(), number == plan_.peak_snapshot, ledger_.live_of_all()};
  if (pending_->pages.own.empty()) pending_->pages.own = own_;
}

void ProcessAnalysis::on(const trace::SmapsSnapshot& snapshot) {
  Reading reading = read_snapshot(snapshot, own_, own_figures_);
  if (!reading.figures) return;
  own_figures_ = reading.own;
  timeline_.on(reading, own_, live());
  phases_.on(reading);
  note_rss(reading.time_ns, reading.figures->rss_bytes, reading.own.rss_bytes);
  ProcessTotals& totals = report_.totals;
  const Bytes dirty = reading.figures->private_dirty_bytes;
  if (dirty > totals.peak_private_dirty_bytes) {
    totals.peak_private_dirty_bytes = dirty;
    totals.peak_private_dirty_ns = reading.time_ns;
  }
  totals.end_private_dirty_bytes = dirty;
  totals.own_private_dirty_bytes = reading.own.private_dirty_bytes;
  totals.end_known = true;
  if (pending_ && reading.full && pending_->pages.time == snapshot.time) make_ledger(reading);
}

void ProcessAnalysis::make_ledger(const Reading& reading) {
  Pending pending = std::move(*pending_);
  pending_.reset();
  PageLedgerInput input;
  input.blocks = BlocksInOrder(pending.blocks);
  input.pages = &pending.pages;
  input.mappings = &reading.mappings;
  input.mapped = &mapped_;
  input.history = &history_;
  input.pool = &ledger_.pool_notes();
  input.used = &ledger_.used_notes();
  input.sites = run_.stacks;
  input.sampling = run_.sampling;
  input.counted = pending.live;
  if (passes_on_to_glibc(report_.allocator, run_.info->libc, history_, reading.mappings))
    report_.allocator = run_.info->libc + " (through " + report_.allocator + ")";
  input.allocator = allocator_from(report_.allocator, run_.info->libc);
  input.what_if_sites = run_.options->what_if_sites;
  input.writes_since = phase_snapshot_;
  if (pending.pages.cause == trace::SnapshotCause::phase) phase_snapshot_ = pending.pages.time;
  LedgerSnapshot ledger = make_page_ledger(input);
  ledger.cause = pending.pages.cause;
  ledger.time_ns = pending.pages.time;
  ledger.source = pending.pages.source;
  ledger.consistent = pending.pages.consistent;
  ledger.pause_ns = pending.pages.pause;
  ledger.private_dirty_bytes = reading.figures->private_dirty_bytes;
  ledger.pss_bytes = reading.figures->pss_bytes;
  const bool phase = ledger.cause == trace::SnapshotCause::phase;
  ledger.phase = phase && !pending.pages.phase.empty() ? pending.pages.phase : phases_.current();
  if (phase) {
    ledger.at = "phase " + ledger.phase;
  } else if (ledger.cause == trace::SnapshotCause::exit) {
    ledger.at = "exit";
  } else {
    ledger.at = pending.peak ? "peak" : "snapshot";
  }
  if (pending.peak) report_.peak_snapshot = static_cast<int>(report_.snapshots.size());
  report_.snapshots.push_back(std::move(ledger));
}

void ProcessAnalysis::fill_totals() {
  ProcessTotals& totals = report_.totals;
  ledger_.fill(report_);
  totals.threads = threads_;
  totals.peak_rss_bytes = totals.peak_rss_sampled_bytes;
  for (const Phase& phase : report_.phases)
    totals.peak_rss_bytes = std::max(totals.peak_rss_bytes, phase.peak_rss_bytes);
  totals.peak_rss_is_lower_bound = !end_ || end_->peak_rss_is_lower_bound;
  if (!end_) return;
  totals.uncertain_blocks = end_->uncertain_blocks;
  totals.lost_events = end_->lost_events;
  totals.ring_waits = end_->ring_waits;
  totals.walks_compared = end_->walks_compared;
  totals.walks_different = end_->walks_different;
  totals.own_peak_bytes = std::max(totals.own_peak_bytes, end_->own_peak_bytes);
}

// Bytes at the peak that a person cannot place, and where most of them lie.
void ProcessAnalysis::fill_unnamed() {
  std::vector<std::pair<std::string, Bytes>> modules;
  for (const Site& site : report_.sites) {
    if (!site.function.empty() || site.figures.live_at_peak_bytes == 0) continue;
    report_.totals.unnamed_at_peak_bytes += site.figures.live_at_peak_bytes;
    const auto at = std::find_if(modules.begin(), modules.end(), [&](auto& m) { return m.first == site.module; });
    if (at == modules.end()) {
      modules.emplace_back(site.module, site.figures.live_at_peak_bytes);
    } else {
      at->second += site.figures.live_at_peak_bytes;
    }
  }
  const auto most = std::max_element(modules.begin(), modules.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == modules.end()) return;
  report_.totals.unnamed_module = most->first;
  report_.totals.unnamed_note = run_.stacks->note_of(most->first);
}

ProcessReport ProcessAnalysis::finish(Nanoseconds end) {
  report_.end_ns = end_ ? end_->time : std::max(end, report_.begin_ns);
  if (end_) {
    report_.exit = {end_->reason, end_->code, end_->signal, group_};
  } else {
    report_.exit.reason = trace::EndReason::running;
  }
  ledger_.finish(report_.end_ns);
  report_.phases =
      phases_.finish(report_.end_ns, ledger_.windows().windows(), counting_error());
  report_.timeline = timeline_.take();
  report_.lifetimes = ledger_.lifetimes();
  report_.stacks = ledger_.figures();
  report_.exit_snapshot = static_cast<int>(report_.snapshots.size()) - 1;
  fill_totals();
  const auto place = fill_sites(report_, *run_.stacks, ledger_.windows());
  fill_unnamed();
  explain(place);
  return std::move(report_);
}

// By how much the kernel's marks may be off on the machine of the recording.
Bytes ProcessAnalysis::counting_error() const {
  constexpr std::uint64_t kMostCpus = 8192;  // more are a damaged recording
  std::uint32_t major = 0, minor = 0;
  std::sscanf(run_.info->kernel.c_str(), "%u.%u", &major, &minor);
  return smaps::high_water_mark_bound(major, minor, static_cast<std::uint32_t>(std::min(run_.info->cpus, kMostCpus)),
                                      static_cast<std::uint32_t>(threads_), run_.info->page_bytes);
}

// What the figures mean. Needs everything else of the report.
void ProcessAnalysis::explain(const std::unordered_map<SiteIndex, SiteIndex>& place) {
  std::vector<Window> windows = ledger_.windows().windows();
  for (Window& window : windows) {
    for (SiteWindow& site : window.sites)
      if (const auto at = place.find(site.site); at != place.end()) site.site = at->second;
  }
  report_.pulses = explain_pulses(plan_.pulses, report_, windows);
  FindingInput input;
  input.process = &report_;
  input.windows = &windows;
  input.environment = run_.info->environment;
  input.sampled = run_.sampling.on();
  input.stretches = plan_.stretches;
  report_.findings = find_findings(input);
}

}  // namespace memswell::analysis
