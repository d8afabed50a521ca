#include "capture/control_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace memswell::capture {
namespace {

struct Wire {
  Message::Kind kind;
  std::uint32_t text_bytes;
  std::int64_t a;
  std::uint64_t b;
  char text[1000];
};

}  // namespace

std::optional<ControlChannel::Pair> ControlChannel::make_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  return Pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

bool ControlChannel::send(const Message& message) const {
  Wire wire{};
  wire.kind = message.kind;
  wire.a = message.a;
  wire.b = message.b;
  wire.text_bytes = static_cast<std::uint32_t>(std::min(message.text.size(), sizeof wire.text));
  std::memcpy(wire.text, message.text.data(), wire.text_bytes);
  return ::send(socket_.get(), &wire, sizeof wire, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof wire);
}

std::optional<Message> ControlChannel::receive(int timeout_ms) const {
  if (!socket_) return Message{};
  pollfd polled{socket_.get(), POLLIN, 0};
  if (poll(&polled, 1, timeout_ms) <= 0) return std::nullopt;
  Wire wire{};
  const ssize_t received = recv(socket_.get(), &wire, sizeof wire, 0);
  if (received < 0 && (errno == EINTR || errno == EAGAIN)) return std::nullopt;
  if (received != static_cast<ssize_t>(sizeof wire) || wire.text_bytes > sizeof wire.text) return Message{};
  return Message{wire.kind, wire.a, wire.b, std::string(wire.text, wire.text_bytes)};
}

}  // namespace memswell::capture
