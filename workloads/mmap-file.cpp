// mmap-file: a file of 100 MiB, mapped privately and read, makes the process 100 MiB larger by RSS, and costs nothing that
// the system could not take back: the pages are clean and belong to the page cache. Written pages become copies.
//
// directory=/var/tmp: where the file lies while the program runs. It should be on a disk: pages of a tmpfs are dirty.
#include "common.h"

using namespace workload;

namespace {

// A file without a name, filled and flushed, so that its pages are clean.
int make_file(const char* directory, std::size_t size) {
  const int fd = ::open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  char* piece = map_anonymous<char>(1 << 20);
  std::memset(piece, 1, 1 << 20);
  for (std::size_t at = 0; fd >= 0 && at < size; at += 1 << 20) {
    if (::pwrite(fd, piece, 1 << 20, static_cast<off_t>(at)) != 1 << 20) std::abort();
  }
  ::munmap(piece, 1 << 20);
  if (fd < 0 || ::fsync(fd) != 0) {
    Text<256>{}.add("mmap-file: cannot keep a file in ").add(directory).add("; give another directory=…\n").write_to(2);
    std::_Exit(1);
  }
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::size_t size = options.number("size", 100 << 20) >> 20 << 20;
  const char* directory = options.text("directory", "/var/tmp");
  options.done();

  const int fd = make_file(directory, size);
  phase("base");
  phase("read");
  void* p = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  if (p == MAP_FAILED) std::abort();
  read_pages(p, size);
  phase("write-quarter");
  write_pages(p, size / 4);
  phase("dontneed");
  ::madvise(p, size, MADV_DONTNEED);
  return finish(argc, argv);
}
