#include "tests/unit/trace/recording_fixture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "trace/record_codec.h"

namespace memswell::trace {
namespace {

// Prints what record_fields.h lists.
class Printer {
 public:
  template <class... Fields>
  void operator()(const Fields&... all) {
    (put(all), ...);
  }
  void time(Nanoseconds time) { put(time); }
  void address(Address address) { put(address); }
  std::string line;

 private:
  void put(const std::integral auto& value) { line += fmt::format(" {}", value); }
  void put(const AnyEnum auto& value) { put(static_cast<std::uint64_t>(value)); }
  void put(const AnyId auto& id) { put(id.value); }
  void put(const std::string& text) { line += fmt::format(" {}\"{}\"", text.size(), text); }
  template <class T>
  void put(const std::vector<T>& list) {
    line += fmt::format(" [{}", list.size());
    for (const T& element : list) put(element);
    line += " ]";
  }
  void put(const Compound auto& record) { fields(*this, record); }
};

class Collector : public Visitor {
 public:
  void on(const RunInfo& r) override { print(r); }
  void on(const ProcessBegin& r) override { print(r); }
  void on(const CaptureNote& r) override { print(r); }
  void on(const ProcessEnd& r) override { print(r); }
  void on(const Module& r) override { print(r); }
  void on(const ModuleMapping& r) override { print(r); }
  void on(const FrameSymbols& r) override { print(r); }
  void on(const ModuleSymbols& r) override { print(r); }
  void on(const ThreadBegin& r) override { print(r); }
  void on(const MappingEvent& r) override { print(r); }
  void on(const Mark& r) override { print(r); }
  void on(const BlockNote& r) override { print(r); }
  void on(const Sample& r) override { print(r); }
  void on(const SmapsSnapshot& r) override { print(r); }
  void on(const PageSnapshot& r) override { print(r); }
  void on(const PhaseBoundary& r) override { print(r); }
  void on(const RecordingMode& r) override { print(r); }
  void on(const CallsBegin& r) override { print(r); }
  void on(const EarlierBlocks& r) override { print(r); }
  void on(const CallTotals& r) override { print(r); }
  void on(const RunEnd& r) override { print(r); }
  void on(const GroupMemory& r) override { print(r); }
  void on(const FoldBegin& r) override { print(r); }
  void on(const FoldEnd& r) override { print(r); }
  void on(const FoldedCalls& r) override { print(r); }
  void on(const FoldedLive& r) override { print(r); }
  void on(const FoldedThread& r) override { print(r); }
  void on(const StackNode& n) override {
    lines.push_back(fmt::format("StackNode {} {} {} {} {:x}", n.id.value, n.parent.value, n.frame.module.value,
                                static_cast<int>(n.frame.kind), n.frame.offset));
  }
  void on(const Allocation& a) override {
    lines.push_back(fmt::format("Allocation {}/{} {:x} {} {} stack {} kind {} replaced {:x}", a.process.value,
                                a.thread.value, a.address, a.requested, a.usable, a.stack.value,
                                static_cast<int>(a.kind), a.replaced));
    times.push_back(a.time);
  }
  void on(const Release& r) override {
    lines.push_back(fmt::format("Release {}/{} {:x} kind {}", r.process.value, r.thread.value, r.address,
                                static_cast<int>(r.kind)));
    times.push_back(r.time);
  }

  std::vector<std::string> lines;
  std::vector<Nanoseconds> times;

 private:
  template <class Record>
  void print(const Record& record) {
    Printer printer;
    printer.line = fmt::format("record {}", record_number<Record>());
    fields(printer, record);
    lines.push_back(std::move(printer.line));
  }
};

Collector collect(const std::vector<AnyEvent>& events) {
  Collector collector;
  Visitor& visitor = collector;
  for (const AnyEvent& event : events) std::visit([&](const auto& e) { visitor.on(e); }, event);
  return collector;
}

}  // namespace

std::vector<std::string> lines_of(const std::vector<AnyEvent>& events) { return collect(events).lines; }
std::vector<Nanoseconds> times_of(const std::vector<AnyEvent>& events) { return collect(events).times; }

void write_all(RecordingWriter& writer, const std::vector<AnyEvent>& events) {
  for (const AnyEvent& event : events) std::visit([&](const auto& e) { writer.write(e); }, event);
}

TemporaryFile::TemporaryFile()
    : memory_(::memfd_create("recording", MFD_CLOEXEC)), path_(fmt::format("/proc/self/fd/{}", memory_.get())) {}
TemporaryFile::TemporaryFile(const std::string& content) : TemporaryFile() {
  std::ofstream(path_, std::ios::binary) << content;
}
UniqueFd TemporaryFile::open_for_writing() const { return UniqueFd(::open(path_.c_str(), O_WRONLY | O_CLOEXEC)); }

std::string TemporaryFile::content() const {
  std::ifstream file(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string recording_of(const std::function<void(RecordingWriter&)>& record) {
  const TemporaryFile file;
  {
    RecordingWriter writer(file.open_for_writing());
    record(writer);
    writer.flush();
    EXPECT_EQ(writer.failure(), nullptr);
    EXPECT_EQ(writer.bytes_written(), file.content().size());
  }
  return file.content();
}

std::string recording_of(const std::vector<AnyEvent>& events) {
  return recording_of([&](RecordingWriter& writer) { write_all(writer, events); });
}

std::vector<std::size_t> chunk_ends(const std::string& recording) {
  std::vector<std::size_t> ends{sizeof(disk::FileHeader)};
  while (ends.back() < recording.size()) {
    disk::ChunkHeader header;
    std::memcpy(&header, recording.data() + ends.back(), sizeof(header));
    ends.push_back(ends.back() + sizeof(header) + header.stored_bytes);
  }
  return ends;
}

Reading read_file(const std::string& path) {
  Collector collector;
  Result<ReadSummary> summary = read_recording(path, collector);
  return {std::move(summary), std::move(collector.lines), std::move(collector.times)};
}

Reading read_bytes(const std::string& bytes) { return read_file(TemporaryFile(bytes).path()); }

}  // namespace memswell::trace
