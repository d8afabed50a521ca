#include "capture/attach_server.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/check.h"
#include "trace/format.h"

namespace memswell::capture {
namespace {

constexpr std::size_t kTokenBytes = 32;
constexpr std::size_t kMostClients = 64;
constexpr std::size_t kLineLimit = 4096;
constexpr Nanoseconds kPatience = 1'000'000'000;

Error socket_error(const std::string& what) {
  return {"cannot make the socket that programs find the recorder by: " + what + ": " + std::strerror(errno) + "."};
}

std::string random_hex_digits() {
  std::uint8_t bytes[kTokenBytes / 2];
  MEMSWELL_CHECK(getrandom(bytes, sizeof bytes, 0) == static_cast<ssize_t>(sizeof bytes));
  std::string digits;
  for (const std::uint8_t byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

// In the file system a name ends with a zero; in the abstract space it begins with one, and its length counts.
enum class Space : std::uint8_t { file_system, abstract };

UniqueFd listen_at(const std::string& name, Space space) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() + 1 > sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return UniqueFd();
  }
  std::memcpy(address.sun_path + (space == Space::abstract ? 1 : 0), name.data(), name.size());
  UniqueFd listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (!listener || bind(listener.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      listen(listener.get(), 128) != 0)
    return UniqueFd();
  return listener;
}

bool is_private_directory(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & 077) == 0;
}

bool same_bytes(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;  // in constant time
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

bool send_region(int connection, int region, Bytes region_bytes) {
  std::uint64_t payload = region_bytes;
  iovec part{&payload, sizeof payload};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &region, sizeof region);
  return sendmsg(connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(sizeof payload);
}

// Like recv; a descriptor that came along goes into `descriptor`, any more of them are closed.
ssize_t receive(int connection, std::span<char> bytes, UniqueFd& descriptor) {
  constexpr std::size_t kMost = 4;
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMost * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t received = recvmsg(connection, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (received < 0) return received;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
      descriptor = UniqueFd(fd);
    }
  }
  return received;
}

}  // namespace

void ControlRequest::answer(const std::string& text) const {
  const std::string line_out = text + "\n";
  send(connection.get(), line_out.data(), line_out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

Result<std::string> socket_directory() {
  std::vector<std::string> candidates;
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime == '/')
    candidates.push_back(std::string(runtime) + "/memswell");
  candidates.push_back("/tmp/memswell-" + std::to_string(geteuid()));
  std::string strange;
  for (const std::string& candidate : candidates) {
    // PATH must fit into RunHeader::attach_address behind the 75 characters of NAME and TOKEN.
    if (candidate.size() > 30) continue;
    if (mkdir(candidate.c_str(), 0700) != 0 && errno != EEXIST) continue;
    if (is_private_directory(candidate)) return candidate;
    strange = candidate;
  }
  if (!strange.empty())
    return Error{"cannot use " + strange +
                 " for the recorder's socket: it is not a folder of yours that nobody else may enter; remove it, or set XDG_RUNTIME_DIR."};
  return std::string();
}

Result<AttachServer> AttachServer::open(const std::string& name) {
  AttachServer server;
  server.token_ = random_hex_digits();
  const std::string abstract_name = "memswell-" + random_hex_digits();
  server.abstract_ = listen_at(abstract_name, Space::abstract);
  if (!server.abstract_) return socket_error("abstract socket");
  const Result<std::string> directory = socket_directory();
  if (!directory) return directory.error();
  if (!directory->empty()) {
    server.path_ = *directory + "/" + name + ".sock";
    unlink(server.path_.c_str());
    server.file_ = listen_at(server.path_, Space::file_system);
    if (!server.file_ && errno != EROFS && errno != ENOSPC && errno != EACCES) return socket_error(server.path_);
    if (!server.file_) server.path_.clear();
  }
  server.address_ = abstract_name + ":" + server.token_ + ":" + server.path_;
  if (server.address_.size() >= sizeof(format::RunHeader::attach_address)) {
    errno = ENAMETOOLONG;
    return socket_error(server.path_);
  }
  return server;
}

void AttachServer::remove_file() {
  if (path_.empty()) return;
  unlink(path_.c_str());
  rmdir(path_.substr(0, path_.rfind('/')).c_str());  // fails while other recordings run
  path_.clear();
}

void AttachServer::add_to(std::vector<pollfd>& polled) const {
  polled.push_back({abstract_.get(), POLLIN, 0});
  if (file_) polled.push_back({file_.get(), POLLIN, 0});
  for (const Client& client : clients_) polled.push_back({client.connection.get(), POLLIN, 0});
}

void AttachServer::add_descriptors_to(std::vector<int>& kept) const {
  kept.push_back(abstract_.get());
  kept.push_back(file_.get());
}

void AttachServer::serve(int region, Bytes region_bytes, Nanoseconds now) {
  accept_from(abstract_.get(), now);
  accept_from(file_.get(), now);
  std::erase_if(clients_, [&](Client& client) {
    return serve_client(client, region, region_bytes) || now - client.since > kPatience;
  });
}

void AttachServer::accept_from(int listener, Nanoseconds now) {
  while (clients_.size() < kMostClients) {
    UniqueFd connection(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection) return;
    ucred peer{};
    socklen_t length = sizeof peer;
    if (getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) continue;
    clients_.push_back({std::move(connection), peer.pid, peer.uid, now, "", UniqueFd()});
  }
}

bool AttachServer::is_control_line(const Client& client) const {
  if (client.uid != geteuid() && client.uid != 0) return false;
  return client.received.starts_with('!') && client.received.ends_with('\n');
}

bool AttachServer::take_tracker(Client& client) {
  OfferedTracker offered;
  if (client.received.size() < kTokenBytes + sizeof offered.slot) return false;
  if (client.received.size() > kTokenBytes + sizeof offered.slot) return true;
  if (!same_bytes(client.received.substr(0, kTokenBytes), token_)) return true;
  std::memcpy(&offered.slot, client.received.data() + kTokenBytes, sizeof offered.slot);
  offered.userfaultfd = std::move(client.descriptor);
  if (trackers_.size() < kMostClients) trackers_.push_back(std::move(offered));
  return true;
}

bool AttachServer::serve_client(Client& client, int region, Bytes region_bytes) {
  char bytes[512];
  const ssize_t received = receive(client.connection.get(), bytes, client.descriptor);
  if (received == 0) return true;
  if (received < 0) return errno != EAGAIN && errno != EINTR;
  client.received.append(bytes, static_cast<std::size_t>(received));
  if (client.received.size() > kLineLimit) return true;
  if (client.received.front() == '!') {
    if (!client.received.ends_with('\n')) return false;
    if (is_control_line(client))
      requests_.push_back({std::move(client.connection), client.pid, client.received.substr(1, client.received.size() - 2)});
    return true;
  }
  if (client.descriptor) return take_tracker(client);
  if (client.received.size() < kTokenBytes) return false;
  if (!same_bytes(client.received, token_)) return true;
  attached_.push_back(open_process(client.pid));
  if (!send_region(client.connection.get(), region, region_bytes)) attached_.pop_back();
  return true;
}

}  // namespace memswell::capture
