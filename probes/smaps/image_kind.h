// Will memswell's library, built for glibc and preloaded by the environment, work in this executable? If not, the
// program still runs and is sampled from outside; here is the reason, for the recording and for a person.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memswell::smaps {

// The values are those of format::ExecNote, which this room does not know; capture asserts that they are equal.
enum class ImageKind : std::uint8_t {
  recordable = 0,
  static_executable = 1,
  other_libc = 2,
  sanitizer = 3,
  privileged = 4,
  other_class = 5,
  unreadable = 7,
};

struct ImageInspection {
  ImageKind kind = ImageKind::recordable;
  std::string path;                  // the file that the kernel loads: the program, or its script's interpreter
  std::vector<std::string> scripts;  // what led there, the program first
  // The executable defines malloc itself: the calls from within it (if exported, also those of its libraries) go past
  // the preloaded library, so that they are not seen although it can be loaded.
  bool own_malloc = false;
  bool own_malloc_exported = false;
  std::string embedded_allocator;  // "jemalloc", "mimalloc", … linked into the executable under its own names, or empty
  std::string sentence;            // why calls are not recorded, or not all; empty if nothing is to be said
};

// `path` is a file as find_program gives it. Takes 0.1 ms, with a symbol table of 10 MB about 20 ms.
ImageInspection inspect_image(const std::string& path);

}  // namespace memswell::smaps
