#include "tests/hostile/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace memswell::hostile {

MemoryFile::MemoryFile(std::string_view content)
    : memory_(::memfd_create("hostile", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(memory_.get())) {
  while (!content.empty()) {
    const ssize_t written = ::write(memory_.get(), content.data(), content.size());
    if (written <= 0) std::abort();  // no memory for the test itself
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

UniqueFd MemoryFile::open_for_writing() const { return UniqueFd(::open(path_.c_str(), O_WRONLY | O_CLOEXEC)); }

std::string MemoryFile::content() const {
  std::string bytes(static_cast<std::size_t>(::lseek(memory_.get(), 0, SEEK_END)), '\0');
  const ssize_t got = ::pread(memory_.get(), bytes.data(), bytes.size(), 0);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

}  // namespace memswell::hostile
