#include "attach.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "memory.h"
#include "system_calls.h"

extern "C" void* __libc_stack_end;  // ld.so: where the kernel put argc, argv, envp

namespace memswell::probe {
namespace {

constexpr int kAttachTimeoutMs = 2000;
constexpr std::size_t kTokenBytes = 32;

struct Part {
  const char* text;
  std::size_t length;
};

// The n-th part of a text divided by colons; the last part takes the rest.
Part part_of(const char* text, int n, bool rest) {
  while (n > 0) {
    if (*text == 0) return {text, 0};
    if (*text++ == ':') --n;
  }
  std::size_t length = 0;
  while (text[length] != 0 && (rest || text[length] != ':')) ++length;
  return {text, length};
}

int connect_to(Part name, bool abstract) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t skip = abstract ? 1 : 0;
  if (name.length == 0 || name.length + 1 > sizeof address.sun_path) return -1;
  copy_bytes(address.sun_path + skip, name.text, name.length);
  const long fd = system_call(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const long length = static_cast<long>(offsetof(sockaddr_un, sun_path) + skip + name.length + (abstract ? 0 : 1));
  if (system_call(SYS_connect, fd, as_word(&address), length) < 0) {
    system_call(SYS_close, fd);
    return -1;
  }
  return static_cast<int>(fd);
}

bool wait_readable(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  for (int left = kAttachTimeoutMs; left > 0; left -= 100) {
    const long ready = system_call(SYS_poll, as_word(&waiting), 1, 100);
    if (ready > 0) return true;
    if (ready < 0 && ready != -4) return false;  // EINTR: a signal handler ran
  }
  return false;
}

int receive_descriptor(int fd) {
  char payload[8];
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  iovec into{payload, sizeof payload};
  msghdr message{};
  message.msg_iov = &into;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (system_call(SYS_recvmsg, fd, as_word(&message), MSG_CMSG_CLOEXEC | MSG_DONTWAIT) <= 0) return -1;
  const cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (head == nullptr || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) return -1;
  int received;
  copy_bytes(&received, CMSG_DATA(head), sizeof received);
  return received;
}

int connect_to_recorder(const char* address) {
  const int fd = connect_to(part_of(address, 0, false), true);
  return fd >= 0 ? fd : connect_to(part_of(address, 2, true), false);
}

}  // namespace

const char* initial_environment(const char* name) {
  auto* words = static_cast<char**>(__libc_stack_end);
  const auto argc = reinterpret_cast<std::uintptr_t>(words[0]);
  const std::size_t length = text_length(name);
  for (char** e = words + 1 + argc + 1; *e != nullptr; ++e) {
    if (starts_with(*e, name) && (*e)[length] == '=') return *e + length + 1;
  }
  return nullptr;
}

std::uintptr_t initial_auxiliary(std::uintptr_t type) {
  auto* words = static_cast<std::uintptr_t*>(__libc_stack_end);
  std::uintptr_t* w = words + 1 + words[0] + 1;
  while (*w != 0) ++w;  // the environment
  for (++w; w[0] != 0; w += 2) {
    if (w[0] == type) return w[1];
  }
  return 0;
}

int receive_region(const char* address) {
  const Part token = part_of(address, 1, false);
  if (token.length != kTokenBytes) return -1;
  const int fd = connect_to_recorder(address);
  if (fd < 0) return -1;
  int received = -1;
  if (system_call(SYS_sendto, fd, as_word(token.text), kTokenBytes, MSG_NOSIGNAL, 0, 0) ==
          static_cast<long>(kTokenBytes) &&
      wait_readable(fd)) {
    received = receive_descriptor(fd);
  }
  system_call(SYS_close, fd);
  return received;
}

bool send_descriptor(const char* address, int descriptor, std::uint32_t slot) {
  const Part token = part_of(address, 1, false);
  if (token.length != kTokenBytes) return false;
  const int fd = connect_to_recorder(address);
  if (fd < 0) return false;
  char payload[kTokenBytes + sizeof slot];
  copy_bytes(payload, token.text, kTokenBytes);
  copy_bytes(payload + kTokenBytes, &slot, sizeof slot);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  iovec from{payload, sizeof payload};
  msghdr message{};
  message.msg_iov = &from;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof descriptor);
  copy_bytes(CMSG_DATA(head), &descriptor, sizeof descriptor);
  const long sent = system_call(SYS_sendmsg, fd, as_word(&message), MSG_NOSIGNAL | MSG_DONTWAIT);
  system_call(SYS_close, fd);
  return sent == static_cast<long>(sizeof payload);
}

}  // namespace memswell::probe
