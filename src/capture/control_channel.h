// Messages between `memswell run` and its recorder (and the pump of the program's output), over a pair of sockets. Both ends are
// ours and of one build: plain structs. The end of one side is seen by the other as `closed`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/unique_fd.h"

namespace memswell::capture {

struct Message {
  enum class Kind : std::uint32_t {
    ready = 1,          // recorder: the program may start
    failed = 2,         // recorder: it may not; text: a sentence
    launched = 3,       // run: the program has been exec'd. Its pid: a
    launch_failed = 4,  // run: it could not be
    first_ended = 5,    // run: wait status a, ru_maxrss in bytes b
    flushed = 6,        // recorder: what the first process did is in the file; a: 1 if others run on; text: why the recording ends early, or empty
    phase = 7,          // pump: cut a phase; text: its name, a: the stream's descriptor, b: the pipe's inode
    note = 8,             // recorder: a sentence for the user; text
    closed = 100,       // the other side is gone
  };
  Kind kind = Kind::closed;
  std::int64_t a = 0;
  std::uint64_t b = 0;
  std::string text = {};  // up to 1000 bytes
};

class ControlChannel {
 public:
  ControlChannel() = default;  // closed
  explicit ControlChannel(UniqueFd socket) : socket_(std::move(socket)) {}

  struct Pair {
    UniqueFd first;
    UniqueFd second;
  };
  static std::optional<Pair> make_pair();

  bool send(const Message& message) const;
  // nullopt: nothing within `timeout_ms` (-1: for ever).
  std::optional<Message> receive(int timeout_ms) const;

  int fd() const { return socket_.get(); }
  void close() { socket_.reset(); }

 private:
  UniqueFd socket_;
};

}  // namespace memswell::capture
