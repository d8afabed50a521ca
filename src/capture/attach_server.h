// How a program finds the region, and how `memswell mark` finds the recording: unix sockets of the recorder.
//
//   MEMSWELL_REGION = NAME:TOKEN:PATH    NAME   abstract socket: needs no file, works after chroot and setuid
//                                        TOKEN  32 hexadecimal digits, the secret that lets a program in
//                                        PATH   the same as a file, for programs in another network namespace
//
//   program:  TOKEN                  ─►  recorder:  the region's size (8 bytes, little-endian) and its descriptor
//   program:  TOKEN SLOT, descriptor ─►  recorder:  no answer (--idle: a userfaultfd; SLOT of the region, 4 bytes)
//   memswell mark:  !verb …\n  ─►  recorder:  one line of answer (control_protocol in README.md)
//
// Never blocks on a client: a slow or silent one is dropped after a second, and there are never more than 64.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "capture/opened_process.h"

namespace memswell::capture {

// A program that was given the region; opened while it waited for it. Its pid is the recorder's view (SO_PEERCRED).
using AttachedProgram = OpenedProcess;

// A userfaultfd that the process in this slot of the region has made for --idle.
struct OfferedTracker {
  std::uint32_t slot = 0;
  UniqueFd userfaultfd;
};

// A request from outside; answer it and close by dropping it.
struct ControlRequest {
  UniqueFd connection;
  pid_t pid = 0;
  std::string line;  // without the mark in front and the newline

  void answer(const std::string& line) const;
};

// The directory of sockets of this user's recordings: $XDG_RUNTIME_DIR/memswell or /tmp/memswell-UID, mode 0700. Empty:
// none can be made (a read-only system); the abstract socket alone then serves. Error: what is there is somebody else's.
Result<std::string> socket_directory();

class AttachServer {
 public:
  // Makes both sockets. `name` becomes the file's name, NAME.sock.
  static Result<AttachServer> open(const std::string& name);

  // The value of MEMSWELL_REGION; shorter than RunHeader::attach_address.
  const std::string& address() const { return address_; }

  void add_to(std::vector<pollfd>& polled) const;
  void add_descriptors_to(std::vector<int>& kept) const;
  // Serves whatever is ready. `region` is given to programs with the right token.
  void serve(int region, Bytes region_bytes, Nanoseconds now);

  std::vector<AttachedProgram> take_attached() { return std::exchange(attached_, {}); }
  std::vector<OfferedTracker> take_trackers() { return std::exchange(trackers_, {}); }
  std::vector<ControlRequest> take_requests() { return std::exchange(requests_, {}); }

  // Takes the socket's file away (the directory too, if it is empty).
  void remove_file();

 private:
  struct Client {
    UniqueFd connection;
    pid_t pid = 0;
    uid_t uid = 0;
    Nanoseconds since = 0;
    std::string received;
    UniqueFd descriptor;  // came with it
  };

  AttachServer() = default;
  void accept_from(int listener, Nanoseconds now);
  // True: the client is done with.
  bool serve_client(Client& client, int region, Bytes region_bytes);
  bool is_control_line(const Client& client) const;
  bool take_tracker(Client& client);

  UniqueFd abstract_;
  UniqueFd file_;
  std::string token_;
  std::string address_;
  std::string path_;
  std::vector<Client> clients_;
  std::vector<AttachedProgram> attached_;
  std::vector<OfferedTracker> trackers_;
  std::vector<ControlRequest> requests_;
};

}  // namespace memswell::capture
