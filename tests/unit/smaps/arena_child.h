// A forked child that brings memory into known states, step by step, and holds still in between.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/unique_fd.h"

namespace memswell::smaps::test {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kHugePage = 2 << 20;

// Address space that parent and child have at the same place; nobody has touched it when the child begins.
class Arena {
 public:
  explicit Arena(std::size_t bytes, std::size_t alignment = kPage);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  char* page(std::size_t index) const { return base_ + index * kPage; }
  std::uint64_t address(std::size_t index = 0) const { return reinterpret_cast<std::uintptr_t>(page(index)); }
  void write(std::size_t first, std::size_t pages) const;
  void read(std::size_t first, std::size_t pages) const;

 private:
  char* memory_;
  std::size_t mapped_;
  char* base_;
};

// Lets userfaultfd track writes to the memory asynchronously until the process ends; the test must know that it can.
void track_writes(void* memory, std::size_t bytes);

class ArenaChild {
 public:
  using Step = std::function<void()>;

  // Returns when the child has done its first step.
  explicit ArenaChild(std::vector<Step> steps);
  // A child whose first thread has ended while another one lives on, until run_sleep.
  enum class FirstThread { ends };
  explicit ArenaChild(FirstThread);
  ~ArenaChild() { kill_and_collect(); }
  ArenaChild(const ArenaChild&) = delete;
  ArenaChild& operator=(const ArenaChild&) = delete;

  pid_t pid() const { return pid_; }
  void run_sleep();       // the living thread executes sleep(1)
  void next_step();       // returns when it is done
  void kill_and_leave();  // dead, but not collected: a zombie
  void kill_and_collect();

 private:
  [[noreturn]] void run(const std::vector<Step>& steps);
  void wait_until_done();
  void wait_for_state(char state) const;

  UniqueFd parent_end_;
  UniqueFd child_end_;
  pid_t pid_ = 0;
};

}  // namespace memswell::smaps::test
