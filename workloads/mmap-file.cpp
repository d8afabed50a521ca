// mmap-file: a file of 100 MiB, mapped privately and read, makes the process 100 MiB larger by RSS, and costs nothing that
// the system could not take back: the pages are clean and belong to the page cache. Written pages become copies.
//
// directory=/var/tmp: where the file lies while the program runs. It should be on a disk: pages of a tmpfs are dirty.
#include <cerrno>

#include "common.h"

using namespace workload;

namespace {

[[noreturn]] void no_file(const char* directory, std::size_t size) {
  Text<512> line;
  line.add("mmap-file: cannot keep a file of ").add(std::uint64_t{size}).add(" bytes in ").add(directory).add(": ");
  line.add(strerrordesc_np(errno)).add("; give another directory=… or a smaller size\n").write_to(2);
  std::_Exit(2);
}

// Filled and flushed, so that its pages are clean. Its name is for the reader of maps; it is gone when the program ends.
int make_file(const char* directory, std::size_t size) {
  Text<512> path;
  path.add(directory).add("/mmap-file.").add(std::uint64_t(::getpid()));
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) no_file(directory, size);
  ::unlink(path.c_str());
  char* piece = map_anonymous<char>(1 << 20);
  std::memset(piece, 1, 1 << 20);
  for (std::size_t at = 0; at < size; at += 1 << 20) {
    if (::pwrite(fd, piece, 1 << 20, static_cast<off_t>(at)) != 1 << 20) no_file(directory, size);
  }
  ::munmap(piece, 1 << 20);
  if (::fsync(fd) != 0) no_file(directory, size);
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::size_t size = options.number("size", 100 << 20, 1 << 20, kMostBytes) >> 20 << 20;
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
