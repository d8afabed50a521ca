// `memswell mark`: finds the recording that is meant and asks its recorder.
#include <dirent.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <utility>

#include "capture/attach_server.h"
#include "capture/record.h"

namespace memswell::capture {
namespace {

constexpr int kAnswerTimeoutMs = 30'000;  // a boundary of many large processes takes its time

enum class Space : std::uint8_t { file_system, abstract };

UniqueFd connect_to(const std::string& name, Space space) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() + 1 > sizeof address.sun_path) return UniqueFd();
  std::memcpy(address.sun_path + (space == Space::abstract ? 1 : 0), name.data(), name.size());
  UniqueFd connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (!connection || connect(connection.get(), reinterpret_cast<sockaddr*>(&address), length) != 0) return UniqueFd();
  return connection;
}

// One line there, one line back; empty if the recorder is gone or does not answer.
std::string ask(const UniqueFd& connection, const std::string& request) {
  const std::string line = "!" + request + "\n";
  if (send(connection.get(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) return "";
  std::string answer;
  while (!answer.ends_with('\n')) {
    pollfd polled{connection.get(), POLLIN, 0};
    if (poll(&polled, 1, kAnswerTimeoutMs) <= 0) return "";
    char bytes[4096];
    const ssize_t received = recv(connection.get(), bytes, sizeof bytes, 0);
    if (received <= 0) return "";
    answer.append(bytes, static_cast<std::size_t>(received));
  }
  answer.pop_back();
  return answer;
}

struct Running {
  std::string path;  // of the socket
  std::vector<std::uint32_t> pids;
};

// The recordings of this user. A socket that nobody listens on belonged to a recorder that was killed.
std::vector<Running> running_recordings(const std::string& directory) {
  std::vector<Running> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(directory.c_str()), closedir);
  if (entries == nullptr) return found;
  while (const dirent* entry = readdir(entries.get())) {
    const std::string path = directory + "/" + entry->d_name;
    if (!path.ends_with(".sock")) continue;
    const UniqueFd connection = connect_to(path, Space::file_system);
    if (!connection) {
      unlink(path.c_str());
      continue;
    }
    std::istringstream answer(ask(connection, "pids"));
    Running running{path, {}};
    std::string ok;
    answer >> ok;
    for (std::uint32_t pid = 0; answer >> pid;) running.pids.push_back(pid);
    if (ok == "ok") found.push_back(std::move(running));
  }
  return found;
}

Result<UniqueFd> connect_by_pid(std::optional<std::uint32_t> pid) {
  const Result<std::string> directory = socket_directory();
  if (!directory) return directory.error();
  std::vector<Running> recordings = running_recordings(*directory);
  if (pid) {
    std::erase_if(recordings, [&](const Running& recording) {
      return std::find(recording.pids.begin(), recording.pids.end(), *pid) == recording.pids.end();
    });
    if (recordings.empty()) return Error{"cannot mark: memswell records no process " + std::to_string(*pid) + "."};
  }
  if (recordings.empty()) return Error{"cannot mark: no recording of yours is running."};
  if (recordings.size() > 1)
    return Error{"cannot mark: " + std::to_string(recordings.size()) + " recordings are running; say which with --pid."};
  UniqueFd connection = connect_to(recordings.front().path, Space::file_system);
  if (!connection) return Error{"cannot mark: the recording has just ended."};
  return connection;
}

// A program that is recorded itself finds its recorder as the probe does.
UniqueFd connect_by_environment() {
  const char* address = std::getenv("MEMSWELL_REGION");
  if (address == nullptr) return UniqueFd();
  const std::string text = address;
  const std::size_t first = text.find(':');
  const std::size_t second = text.find(':', first + 1);
  UniqueFd connection = connect_to(text.substr(0, first), Space::abstract);
  if (connection || second == std::string::npos) return connection;
  return connect_to(text.substr(second + 1), Space::file_system);
}

}  // namespace

Result<void> mark(const MarkRequest& request) {
  UniqueFd connection;
  if (!request.pid) connection = connect_by_environment();
  if (!connection) {
    Result<UniqueFd> found = connect_by_pid(request.pid);
    if (!found) return found.error();
    connection = *std::move(found);
  }
  std::string name = request.name;
  std::replace(name.begin(), name.end(), '\n', ' ');
  if (name.empty()) return Error{"cannot mark: a phase needs a name.", ExitCode::usage};
  // The recorder answers when the boundary is written; without --wait it is enough that it was asked.
  const std::string verb = request.wait ? "phase " : "phase-soon ";
  const std::string answer = ask(connection, request.value ? "value " + std::to_string(*request.value) + " " + name : verb + name);
  if (answer == "ok") return {};
  return Error{"cannot mark: " + (answer.empty() ? "the recorder did not answer" : "the recorder says: " + answer) + "."};
}

}  // namespace memswell::capture
