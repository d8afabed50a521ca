// How much memory and time a command takes for files that ask for much: one line a kind.
//
//   hostile_memory BYTES [PART OF A NAME [COMMAND …]]     `report` if no command is given
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/hostile/bombs.h"

namespace {

constexpr unsigned kMostSeconds = 120;

struct Use {
  int status = 0;
  long peak_kib = 0;
  double seconds = 0;
};

Use run_on(const std::string& path, std::vector<std::string> words) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t pid = fork();
  if (pid == 0) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    alarm(kMostSeconds);  // kept by exec
    words.insert(words.begin(), MEMSWELL_BINARY);
    words.push_back(path);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(MEMSWELL_BINARY, argv.data());
    _exit(127);
  }
  Use use;
  rusage used{};
  wait4(pid, &use.status, 0, &used);
  use.peak_kib = used.ru_maxrss;
  use.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return use;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto bytes = std::strtoull(argv[1], nullptr, 10);
  const std::string_view part = argc > 2 ? argv[2] : "";
  std::vector<std::string> command(argv + std::min(argc, 3), argv + argc);
  if (command.empty()) command.emplace_back("report");
  for (const memswell::hostile::Bomb& bomb : memswell::hostile::bombs()) {
    if (bomb.name.find(part) == std::string_view::npos) continue;
    const std::string path = "/tmp/memswell-bomb-" + std::to_string(getpid());
    const std::string recording = bomb.make(bytes);
    std::ofstream(path, std::ios::binary) << recording;
    const Use use = run_on(path, command);
    unlink(path.c_str());
    std::printf("%-19.*s %8zu bytes: %7ld KiB, %6.2f s, status %x\n", static_cast<int>(bomb.name.size()),
                bomb.name.data(), recording.size(), use.peak_kib, use.seconds, static_cast<unsigned>(use.status));
    std::fflush(stdout);
  }
}
