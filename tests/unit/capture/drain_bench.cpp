// What an event costs the recorder: fills rings as programs do and drains them into a recording in /dev/null.
//
//   capture_bench [EVENTS]     ns of processor time an event, for one ring and four, without stacks and with changing ones
#include <fcntl.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "capture/drain.h"
#include "ring_producer.h"

namespace memswell::capture::test {
namespace {

class NoControl final : public ControlSink {
 public:
  Emitted on_forking(Image&, std::uint64_t) override { return Emitted::taken; }
  void on_phase(Image&, const std::string&, Nanoseconds) override {}
  void on_value(Image&) override {}
  void on_executing(Image&, PendingExec) override {}
  void on_exec_failed(Image&) override {}
  void on_exiting(Image&, std::uint8_t) override {}
};

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Load {
  const char* name;
  std::uint32_t rings;
  std::uint32_t pushed_frames;  // changed by every event
};

constexpr std::uint32_t kRingLog2 = 15;  // 256 KiB
constexpr std::uint32_t kBatch = 4'000;  // events a ring and round

double nanoseconds_an_event(const Load& load, std::uint64_t events) {
  Region region = *Region::create({.stamp_source = format::StampSource::counter});
  trace::RecordingWriter writer(UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC)));
  StampClock clock(format::StampSource::counter, region.header().stamp_counter);
  ModuleTable modules(writer);
  StackInterner stacks(writer);
  LayoutTable layouts(region, modules, stacks.frames());
  CallStart calls(region, writer, stacks, "");
  ImageTable images(region, writer, calls);
  NoControl control;
  EventTranslator translator(writer, clock, stacks, layouts, calls, control);
  Drain drain(region, clock, images, layouts, translator);
  region.process(0).state.store(format::SlotState::live);
  ImageStart start;
  start.process = open_process(getpid());
  start.slot = 0;
  images.begin(std::move(start));
  std::vector<std::unique_ptr<RingProducer>> producers;
  for (std::uint32_t i = 0; i < load.rings; ++i)
    producers.push_back(std::make_unique<RingProducer>(region, i, 1 + i * 64, kRingLog2));

  double drained = 0;
  std::uint64_t stamp = 1;
  std::uint64_t made = 0;
  std::uint64_t random = 1;
  std::vector<std::uint64_t> words;
  while (made < events) {
    for (std::uint32_t i = 0; i < kBatch; i += 2) {
      for (const auto& producer : producers) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const Address block = 0x5555'0000'0000 + (random >> 44) * 16;
        words = {first_word(RecordKind::malloc, block, 8), stamp++,
                 stack_word(random >> 54, 0, i == 0 ? 0 : 8, i == 0 ? 8 : load.pushed_frames)};
        if (i != 0) words[2] -= std::uint64_t{load.pushed_frames} << format::kKeepShift;
        for (std::uint32_t frame = 0; frame < (i == 0 ? 8 : load.pushed_frames); ++frame)
          words.push_back(0x4000 + (random >> (20 + 2 * frame) & 3) * 16);
        producer->append(words);
        producer->free(block, stamp++);
        made += 2;
      }
    }
    region.header().stamp_counter.store(stamp);
    const double before = processor_seconds();
    drain.round();
    drained += processor_seconds() - before;
  }
  return drained * 1e9 / static_cast<double>(made);
}

constexpr Load kLoads[] = {{"one ring, same stack", 1, 0},
                           {"one ring, one frame changes", 1, 1},
                           {"one ring, four frames change", 1, 4},
                           {"four rings, same stack", 4, 0},
                           {"four rings, four frames change", 4, 4}};

}  // namespace
}  // namespace memswell::capture::test

int main(int argument_count, char** arguments) {
  const std::uint64_t events = argument_count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 4'000'000;
  for (const auto& load : memswell::capture::test::kLoads)
    std::printf("%-32s %6.1f ns an event\n", load.name, memswell::capture::test::nanoseconds_an_event(load, events));
}
