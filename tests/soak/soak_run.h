// The soak program under memswell, with something done to them meanwhile, and what the recording says beside what the
// program says itself.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/soak/truth_layout.h"
#include "tests/support/subprocess.h"

namespace memswell::tests {

// What the recording may have; 0: no limit.
struct Room {
  std::uint64_t file_size = 0;    // RLIMIT_FSIZE
  std::uint64_t file_system = 0;  // a tmpfs of that many bytes for it alone; needs the right to mount
};

class SoakRun {
 public:
  // Starts `memswell run OPTIONS -- soak … SECONDS SEED` and returns when the program has begun.
  SoakRun(std::vector<std::string> options, double seconds, unsigned seed, Room room = {});
  ~SoakRun();
  SoakRun(const SoakRun&) = delete;
  SoakRun& operator=(const SoakRun&) = delete;

  pid_t memswell() const { return memswell_; }
  pid_t program() const;
  pid_t recorder() const { return recorder_; }

  // Calls `meanwhile` until memswell has ended; gives its wait status, or −1 if it did not end in time.
  int wait(const std::function<void()>& meanwhile = {});
  // Of the recording; asked again until it is complete, a minute at most, if `complete` is wanted.
  nlohmann::json report(bool complete) const;
  const truth_file& truth() const { return *truth_; }
  // False: Room::file_system was asked for and could not be given.
  bool has_its_room() const { return has_its_room_; }

 private:
  std::string recording() const { return folder_.file("room/x.swell"); }

  TemporaryFolder folder_;
  bool mounted_ = false, has_its_room_ = true;
  truth_file* truth_ = nullptr;
  pid_t memswell_ = -1;
  pid_t recorder_ = -1;
};

enum class Agreement {
  exact,         // every process image, every kind of call, blocks and bytes
  nothing_lost,  // some image was killed within a call: between `begun` and `done`
  no_more,       // events were lost and said to be: the recording has at most what was done …
  counted,       // … and an image lacks at most what it is said to have lost; one that lost nothing agrees exactly
};

// One sentence a difference between the recording and the program's own count.
std::vector<std::string> differences(const nlohmann::json& report, const truth_file& truth, Agreement agreement);

std::uint64_t calls_done(const truth_file& truth);
std::uint64_t calls_recorded(const nlohmann::json& report);
std::size_t images(const truth_file& truth);
// Of the recording: of an image, as its finding says; images that lost nothing.
std::uint64_t events_lost(const nlohmann::json& process);
std::size_t images_without_loss(const nlohmann::json& report);

}  // namespace memswell::tests
