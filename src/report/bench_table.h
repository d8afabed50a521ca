// A table as benchmarks print it: one column a variant, the reference marked (*), the others with a percentage where
// they differ by 5 % or more, and above it what the variants have in common and where they differ. A variant that was run
// several times shows its median and spread, and "no difference" where the spread covers it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/terminal.h"

namespace memswell::report {

enum class BenchUnit { bytes, count, nanoseconds };

struct BenchRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};
// Repeated runs whose ranges overlap show no difference.
bool overlap(const BenchRange& a, const BenchRange& b);

struct BenchRow {
  std::string name;
  BenchUnit unit = BenchUnit::bytes;
  std::vector<std::optional<std::uint64_t>> values;  // one a column, of several runs the median; empty: not measured
  std::vector<BenchRange> ranges = {};               // of the runs of each column; empty: every column is one run
};

// The row's value and range in each column from those of its runs: none where a run has none.
BenchRow row_of_runs(std::string name, BenchUnit unit,
                     const std::vector<std::vector<std::optional<std::uint64_t>>>& columns);

struct BenchTable {
  std::string heading;               // above the row names
  std::vector<std::string> columns;  // the first is the reference
  std::vector<BenchRow> rows;
  bool total = false;                // a last row with sums; all rows have the same unit then
};

// With more columns than the terminal is wide, the variants become rows, in as many blocks as it takes.
std::string bench_table(const BenchTable& table, const Terminal& terminal);

// "+16 %", "-27 %", "x3.2" from a factor of 3 on; empty below 5 %.
std::string difference_text(std::uint64_t value, std::uint64_t reference);

using Facts = std::vector<std::pair<std::string, std::string>>;  // "kernel" -> "6.1.0"

// "Common: …" and "Differs: …" lines; all `facts` have the same keys in the same order.
std::string common_and_different(const std::vector<std::string>& columns, const std::vector<Facts>& facts,
                                 const Terminal& terminal);

}  // namespace memswell::report
