// Cost of writing and reading a recording, ns and bytes an event. Not part of ctest:
//   cmake --build --preset dev --target trace_bench && build/dev/tests/trace_bench
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <variant>
#include <vector>

#include "tests/unit/trace/sample_events.h"
#include "trace/recording_reader.h"
#include "trace/recording_writer.h"

namespace memswell::trace {
namespace {

// One malloc and free, again and again, as in the benchmarks of the probe.
std::vector<AnyEvent> loop(std::size_t count) {
  std::vector<AnyEvent> events{process(0), ThreadBegin{}, StackNode{{1}, {0}, {}}};
  Nanoseconds time = 0;
  while (events.size() < count) {
    events.push_back(Allocation{{}, {}, time += 40, 0x5555'5555'92a0, 32, 40, {1}, AllocationKind::malloc, 0});
    events.push_back(Release{{}, {}, time += 40, 0x5555'5555'92a0, Release::Kind::free});
  }
  return events;
}

struct Counter : Visitor {
  using Visitor::on;
  void on(const Allocation& event) override { sum += event.address; }
  void on(const Release& event) override { sum += event.address; }
  Address sum = 0;
};

class MemoryFile {
 public:
  UniqueFd fresh() {
    fd_ = UniqueFd(::memfd_create("recording", MFD_CLOEXEC));
    path_ = fmt::format("/proc/self/fd/{}", fd_.get());
    return UniqueFd(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
  }
  const std::string& path() const { return path_; }

 private:
  UniqueFd fd_;
  std::string path_;
};

std::uint64_t write_all(MemoryFile& file, const std::vector<AnyEvent>& events) {
  RecordingWriter writer(file.fresh());
  for (const AnyEvent& event : events) std::visit([&](const auto& e) { writer.write(e); }, event);
  writer.flush();
  return writer.bytes_written();
}

void report(benchmark::State& state, std::size_t events, std::uint64_t bytes) {
  using benchmark::Counter;
  const auto count = static_cast<double>(events);
  state.counters["event"] = Counter(count, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["bytes/event"] = static_cast<double>(bytes) / count;
}

template <auto kProgram>
void write_recording(benchmark::State& state) {
  const std::vector<AnyEvent> events = kProgram();
  MemoryFile file;
  std::uint64_t bytes = 0;
  for (auto _ : state) bytes = write_all(file, events);
  report(state, events.size(), bytes);
}

template <auto kProgram>
void read_back(benchmark::State& state) {
  const std::vector<AnyEvent> events = kProgram();
  MemoryFile file;
  const std::uint64_t bytes = write_all(file, events);
  for (auto _ : state) {
    Counter counter;
    benchmark::DoNotOptimize(read_recording(file.path(), counter));
    benchmark::DoNotOptimize(counter.sum);
  }
  report(state, events.size(), bytes);
}

std::vector<AnyEvent> loop_of_one_site() { return loop(1'000'000); }
std::vector<AnyEvent> four_threads() { return synthetic_program(1, 1'000'000); }

BENCHMARK(write_recording<loop_of_one_site>)->Unit(benchmark::kMillisecond);
BENCHMARK(write_recording<four_threads>)->Unit(benchmark::kMillisecond);
BENCHMARK(read_back<loop_of_one_site>)->Unit(benchmark::kMillisecond);
BENCHMARK(read_back<four_threads>)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace memswell::trace

BENCHMARK_MAIN();
