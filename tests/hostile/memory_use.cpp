// How much memory and time `memswell report` takes for files that ask for much: one line a kind.
//
//   hostile_memory BYTES [PART OF A NAME]
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/hostile/bombs.h"

namespace {

struct Use {
  int status = 0;
  long peak_kib = 0;
  double seconds = 0;
};

Use report_on(const char* path) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t pid = fork();
  if (pid == 0) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    execl(MEMSWELL_BINARY, MEMSWELL_BINARY, "report", path, nullptr);
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
  for (const memswell::hostile::Bomb& bomb : memswell::hostile::bombs()) {
    if (bomb.name.find(part) == std::string_view::npos) continue;
    const std::string path = "/tmp/memswell-bomb-" + std::to_string(getpid());
    const std::string recording = bomb.make(bytes);
    std::ofstream(path, std::ios::binary) << recording;
    const Use use = report_on(path.c_str());
    unlink(path.c_str());
    std::printf("%-12.*s %8zu bytes: %7ld KiB, %6.2f s, status %x\n", static_cast<int>(bomb.name.size()),
                bomb.name.data(), recording.size(), use.peak_kib, use.seconds, static_cast<unsigned>(use.status));
    std::fflush(stdout);
  }
}
