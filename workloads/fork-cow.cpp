// fork-cow: after fork, parent and child share every page until one of them writes. A child that only reads adds nothing;
// one that writes half of 100 MiB adds 50. Resident memory stays the same in both processes and says nothing of it:
// private dirty memory moves from the one to both.
#include <sys/wait.h>

#include <utility>

#include "common.h"

using namespace workload;

namespace {

void child_says(const char* when, const Reading& reading) {
  static char names[16][40];  // facts keep the name's address
  static unsigned used = 0;
  for (const auto& [field, value] : {std::pair{"rss", reading.rss_bytes},
                                     {"private_dirty", reading.private_dirty_bytes},
                                     {"shared_dirty", reading.shared_dirty_bytes},
                                     {"pss", reading.pss_bytes}}) {
    Text<40> name;
    name.add("child_").add(when).add("_").add(field).add("_bytes");
    std::memcpy(names[used], name.c_str(), name.length() + 1);
    fact(names[used++], value);
  }
}

// What the child does: reads all, writes half, tells the parent what it saw each time, and waits to be let go.
[[noreturn]] void be_child(char* p, std::size_t size, int say, int wait) {
  Reading readings[3];
  readings[0] = read_self();
  read_pages(p, size);
  readings[1] = read_self();
  std::memset(p, 2, size / 2);
  readings[2] = read_self();
  char go;
  const bool told = ::write(say, readings, sizeof readings) == sizeof readings && ::read(wait, &go, 1) == 1;
  ::_exit(told ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::size_t size = options.number("size", 100 << 20, 8192, kMostBytes);
  options.done();
  int from_child[2], to_child[2];
  if (::pipe(from_child) != 0 || ::pipe(to_child) != 0) std::abort();

  char* p = map_anonymous<char>(size);
  phase("base");
  phase("dirty");
  std::memset(p, 1, size);
  phase("fork");
  const pid_t child = ::fork();
  if (child == 0) be_child(p, size, from_child[1], to_child[0]);
  Reading readings[3];
  if (::read(from_child[0], readings, sizeof readings) != sizeof readings) std::abort();
  child_says("forked", readings[0]);
  child_says("read", readings[1]);
  child_says("wrote", readings[2]);
  phase("after");
  int status = 0;
  if (::write(to_child[1], "g", 1) != 1 || ::waitpid(child, &status, 0) != child || status != 0) std::abort();
  return finish(argc, argv);
}
