// What the reader promises of every event that it gives (id_census.h, record_codec.h), whatever the file holds: processes,
// threads, modules and stacks are introduced, in order and without gaps, before an event speaks of them. A broken promise
// ends the program like a crash.
#pragma once

#include <cstdint>
#include <tuple>

#include "tests/hostile/target.h"
#include "trace/record_fields.h"
#include "trace/visitor.h"

namespace memswell::hostile {

class Introductions : public trace::Visitor {
 public:
  using trace::Visitor::on;
  std::uint64_t calls() const { return calls_; }

 protected:
  void see(const trace::ProcessBegin& begin) {
    expect(begin.process.value == processes_++, "processes come numbered without gaps");
    expect(!begin.has_parent || begin.parent.value < begin.process.value, "a parent comes before its child");
  }
  void see(const trace::Module& module) { expect(module.id.value == ++modules_, "modules come numbered without gaps"); }
  void see(const trace::ThreadBegin& begin) {
    expect(begin.thread.value == threads_++, "threads come numbered without gaps");
    expect_introduced(begin.process);
  }
  void see(const trace::StackNode& node) {
    expect(node.id.value == ++stacks_ && node.parent.value < node.id.value, "callers come before whom they call");
    expect_introduced(node.frame.module);
  }
  template <class Event>
  void see(const Event& event) {
    if constexpr (requires { event.process; }) expect_introduced(event.process);
    if constexpr (requires { event.announced_by; }) expect_introduced(event.announced_by);
    if constexpr (requires { event.thread; }) expect(event.thread.value < threads_, "a thread is introduced");
    if constexpr (requires { event.module; }) expect_introduced(event.module);
    if constexpr (requires { event.frame; }) expect_introduced(event.frame.module);
    if constexpr (requires { event.stack; }) expect(event.stack.value <= stacks_, "a stack is introduced");
    if constexpr (requires { event.requested; } || requires { event.address; }) ++calls_;
  }

 private:
  void expect_introduced(ProcessIndex process) { expect(process.value < processes_, "a process is introduced"); }
  void expect_introduced(ModuleId module) { expect(module.value <= modules_, "a module is introduced"); }

  std::uint32_t processes_ = 0, threads_ = 0, modules_ = 0, stacks_ = 0;
  std::uint64_t calls_ = 0;
};

template <class... Events>
class Seeing;
template <>
class Seeing<> : public Introductions {};
template <class Event, class... Others>
class Seeing<Event, Others...> : public Seeing<Others...> {
 public:
  using Seeing<Others...>::on;
  void on(const Event& event) override { this->see(event); }
};

template <class Records>
struct SeeingAll;
template <class... Records>
struct SeeingAll<std::tuple<Records...>> {
  using type = Seeing<trace::Allocation, trace::Release, trace::StackNode, Records...>;
};

using SoundVisitor = SeeingAll<trace::RecordKinds>::type;

}  // namespace memswell::hostile
