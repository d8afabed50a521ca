#include "tests/unit/trace/recording_fixture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "trace/record_codec.h"

namespace memswell::trace {
namespace {

// Prints what record_fields.h lists.
class Printer {
 public:
  template <class... Fields>
  void operator()(const Fields&... all) { (put(all), ...); }
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
  void on(const RunEnd& r) override { print(r); }
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

}  // namespace

std::vector<std::string> lines_of(const std::function<void(Visitor&)>& deliver) {
  Collector collector;
  deliver(collector);
  return collector.lines;
}

TemporaryFile::TemporaryFile() : path_(testing::TempDir() + "memswell_trace_XXXXXX") {
  const UniqueFd made(::mkstemp(path_.data()));
  if (!made) ADD_FAILURE() << "no temporary file " << path_;
}
TemporaryFile::TemporaryFile(const std::string& content) : TemporaryFile() {
  std::ofstream(path_, std::ios::binary) << content;
}
TemporaryFile::~TemporaryFile() { ::unlink(path_.c_str()); }

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

Reading read_file(const std::string& path) {
  Collector collector;
  Result<ReadSummary> summary = read_recording(path, collector);
  return {std::move(summary), std::move(collector.lines), std::move(collector.times)};
}

Reading read_bytes(const std::string& bytes) { return read_file(TemporaryFile(bytes).path()); }

}  // namespace memswell::trace
