#include "report/exports.h"
#include "report/figure_keys.h"
#include "report/json_report.h"
#include "report/selection.h"
#include "report/site_text.h"
#include "report/sqlite_file.h"

namespace memswell::report {
namespace {

using analysis::ProcessReport;
using Columns = std::vector<std::string>;
using Processes = std::vector<const ProcessReport*>;

template <class T, std::size_t n>
void add_names(Columns& columns, const FigureKey<T> (&keys)[n]) {
  for (const FigureKey<T>& key : keys) columns.push_back(std::string(key.name) + " INTEGER");
}

template <class T, std::size_t n>
void add_values(SqliteFile& file, const T& value, const FigureKey<T> (&keys)[n]) {
  for (const FigureKey<T>& key : keys) file.number(value.*key.member);
}

void write_run(SqliteFile& file, const analysis::RunReport& run) {
  file.table("run", {"schema INTEGER", "memswell TEXT", "command TEXT", "working_directory TEXT", "started_ns INTEGER",
                     "duration_ns INTEGER", "kernel TEXT", "cpu TEXT", "libc TEXT", "page_bytes INTEGER", "complete INTEGER",
                     "lost_events INTEGER"});
  file.number(kJsonSchema).text(run.memswell_version).text(command_text(run.command, 4096)).text(run.working_directory);
  file.number(run.started_unix_ns).number(run.duration_ns).text(run.kernel).text(run.machine).text(run.libc);
  file.number(run.page_bytes).number(run.recording.complete ? 1 : 0).number(run.recording.lost_events);
}

void write_processes(SqliteFile& file, const Processes& processes) {
  Columns columns{"process INTEGER PRIMARY KEY", "pid INTEGER", "ppid INTEGER", "command TEXT", "executable TEXT",
                  "allocator TEXT", "capture TEXT", "reason TEXT", "begin_ns INTEGER", "end_ns INTEGER"};
  add_names(columns, kTotalFigureKeys);
  add_names(columns, kTotalKeys);
  file.table("process", columns);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const ProcessReport& process = *processes[i];
    file.number(i).number(process.pid).number(process.ppid).text(command_text(process.command, 4096));
    file.text(process.executable).text(process.allocator);
    file.text(process.capture == trace::Capture::full ? "full" : "sampler").text(process.capture_reason);
    file.number(process.begin_ns).number(process.end_ns);
    add_values(file, process.totals.figures, kTotalFigureKeys);
    add_values(file, process.totals, kTotalKeys);
  }
}

void write_phases(SqliteFile& file, const Processes& processes) {
  Columns columns{"process INTEGER", "phase INTEGER", "name TEXT"};
  add_names(columns, kPhaseKeys);
  file.table("phase", columns);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    for (std::size_t k = 0; k < processes[i]->phases.size(); ++k) {
      file.number(i).number(k).text(processes[i]->phases[k].name);
      add_values(file, processes[i]->phases[k], kPhaseKeys);
    }
  }
}

void write_snapshots(SqliteFile& file, const Processes& processes) {
  file.table("snapshot", {"process INTEGER", "snapshot INTEGER", "at TEXT", "phase TEXT", "time_ns INTEGER",
                          "rss_bytes INTEGER", "smaps_rss_bytes INTEGER", "own_bytes INTEGER", "difference_bytes INTEGER",
                          "private_dirty_bytes INTEGER", "pss_bytes INTEGER", "live_bytes INTEGER", "untouched_bytes INTEGER",
                          "is_peak INTEGER", "is_exit INTEGER"});
  for (std::size_t i = 0; i < processes.size(); ++i) {
    for (std::size_t k = 0; k < processes[i]->snapshots.size(); ++k) {
      const analysis::LedgerSnapshot& s = processes[i]->snapshots[k];
      file.number(i).number(k).text(s.at).text(s.phase).number(s.time_ns).number(s.rss_bytes).number(s.smaps_rss_bytes);
      file.number(s.own_bytes).number(s.difference_bytes).number(s.private_dirty_bytes).number(s.pss_bytes);
      file.number(s.live_bytes).number(s.beside.untouched_bytes);
      file.number(&s == peak_snapshot(*processes[i]) ? 1 : 0).number(&s == exit_snapshot(*processes[i]) ? 1 : 0);
    }
  }
}

// The rows of every snapshot: they sum to its rss_bytes less difference_bytes.
void write_ledgers(SqliteFile& file, const Processes& processes) {
  file.table("ledger", {"process INTEGER", "snapshot INTEGER", "owner TEXT", "words TEXT", "bytes INTEGER"});
  for (std::size_t i = 0; i < processes.size(); ++i) {
    for (std::size_t k = 0; k < processes[i]->snapshots.size(); ++k) {
      for (const analysis::LedgerRow& row : processes[i]->snapshots[k].rows) {
        const analysis::OwnerText& owner = analysis::kOwnerTexts[static_cast<std::size_t>(row.owner)];
        file.number(i).number(k).text(owner.key).text(owner.words).number(row.bytes);
      }
    }
  }
}

void write_sites(SqliteFile& file, const Processes& processes) {
  Columns columns{"process INTEGER", "site INTEGER", "function TEXT", "file TEXT", "line INTEGER", "module TEXT"};
  add_names(columns, kSiteFigureKeys);
  add_names(columns, kSiteKeys);
  file.table("site", columns);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    for (std::size_t k = 0; k < processes[i]->sites.size(); ++k) {
      const analysis::Site& site = processes[i]->sites[k];
      file.number(i).number(k).text(site.function).text(site.file).number(site.line).text(site.module);
      add_values(file, site.figures, kSiteFigureKeys);
      add_values(file, site, kSiteKeys);
    }
  }
}

void write_stacks(SqliteFile& file, const Processes& processes) {
  Columns columns{"process INTEGER", "stack INTEGER", "site INTEGER"};
  add_names(columns, kSiteFigureKeys);
  file.table("stack", columns);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    for (std::size_t k = 0; k < processes[i]->stacks.size(); ++k) {
      const analysis::StackFigures& stack = processes[i]->stacks[k];
      file.number(i).number(stack.stack.value).number(processes[i]->site_of_stack[k].value);
      add_values(file, stack.figures, kSiteFigureKeys);
    }
  }
}

// The stacks of the whole recording as a tree: `caller` is another stack, null for the outermost.
void write_frames(SqliteFile& file, const analysis::StackTable& stacks) {
  file.table("frame", {"stack INTEGER", "caller INTEGER", "level INTEGER", "function TEXT", "file TEXT", "line INTEGER",
                       "module TEXT", "plumbing INTEGER"});
  for (std::size_t i = 1; i < stacks.stacks.size(); ++i) {
    const analysis::StackEntry& entry = stacks.stacks[i];
    const analysis::NamedFrame& frame = stacks.frames[entry.frame];
    for (std::size_t level = 0; level < frame.levels.size(); ++level) {
      file.number(i);
      if (entry.parent.value == 0) file.null();
      else file.number(entry.parent.value);
      file.number(level).text(frame.levels[level].function).text(frame.levels[level].file);
      file.number(frame.levels[level].line).text(frame.module).number(frame.plumbing ? 1 : 0);
    }
  }
}

void write_timeline(SqliteFile& file, const Processes& processes) {
  file.table("timeline", {"process INTEGER", "time_ns INTEGER", "size_bytes INTEGER", "rss_bytes INTEGER",
                          "requested_bytes INTEGER", "usable_bytes INTEGER", "live_blocks INTEGER",
                          "private_dirty_bytes INTEGER", "pss_bytes INTEGER", "mark TEXT"});
  for (std::size_t i = 0; i < processes.size(); ++i) {
    for (const analysis::TimelineRow& row : processes[i]->timeline) {
      file.number(i).number(row.time_ns).number(row.size_bytes).number(row.rss_bytes).number(row.requested_bytes);
      file.number(row.usable_bytes).number(row.live_blocks);
      if (row.smaps) file.number(row.smaps->private_dirty_bytes).number(row.smaps->pss_bytes);
      else file.null().null();
      if (row.mark.empty()) file.null();
      else file.text(row.mark);
    }
  }
}

void write_findings(SqliteFile& file, const Processes& processes) {
  file.table("finding", {"process INTEGER", "finding INTEGER", "kind TEXT", "phase TEXT", "site INTEGER", "bytes INTEGER",
                         "saves_bytes INTEGER", "exact INTEGER", "sentence TEXT", "cause TEXT", "remedy TEXT"});
  for (std::size_t i = 0; i < processes.size(); ++i) {
    for (std::size_t k = 0; k < processes[i]->findings.size(); ++k) {
      const analysis::Finding& finding = processes[i]->findings[k];
      file.number(i).number(k).text(analysis::finding_key(finding.kind)).text(finding.phase);
      if (finding.site) file.number(finding.site->value);
      else file.null();
      file.number(finding.bytes).number(finding.saves_bytes);
      file.number(finding.certainty == analysis::Certainty::exact ? 1 : 0);
      file.text(finding.sentence).text(finding.cause).text(finding.remedy);
    }
  }
}

}  // namespace

// Columns are those of report --json (docs/json.md); `process`, `site`, `stack`, `snapshot` join the tables.
std::string export_sqlite(const analysis::RunReport& run, const ExportOptions& options) {
  const Processes processes = processes_with(run, options.pid);
  SqliteFile file;
  write_run(file, run);
  write_processes(file, processes);
  write_phases(file, processes);
  write_snapshots(file, processes);
  write_ledgers(file, processes);
  write_sites(file, processes);
  write_stacks(file, processes);
  write_frames(file, run.stacks);
  write_timeline(file, processes);
  write_findings(file, processes);
  file.index("frame", "stack");
  file.index("stack", "process, site");
  return file.take();
}

}  // namespace memswell::report
