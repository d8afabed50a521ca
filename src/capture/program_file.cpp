#include "capture/program_file.h"

#include <unistd.h>

#include <cstdlib>

#include "probes/smaps/image_kind.h"
#include "probes/smaps/program_lookup.h"
#include "trace/format.h"

namespace memswell::capture {
namespace {

static_assert(static_cast<int>(smaps::ImageKind::other_class) == static_cast<int>(format::ExecNote::other_class));
static_assert(static_cast<int>(smaps::ImageKind::unreadable) == static_cast<int>(format::ExecNote::unreadable));

// A static or privileged program ignores the preload; what it starts may bear it.
bool bears_preload(smaps::ImageKind kind) {
  switch (kind) {
    case smaps::ImageKind::recordable:
    case smaps::ImageKind::static_executable:
    case smaps::ImageKind::privileged: return true;
    case smaps::ImageKind::other_libc:
    case smaps::ImageKind::sanitizer:
    case smaps::ImageKind::other_class:
    case smaps::ImageKind::unreadable: return false;
  }
  return false;
}

std::optional<std::string_view> search_path() {
  const char* value = std::getenv("PATH");
  if (value == nullptr) return std::nullopt;
  return value;
}

}  // namespace

Result<ProgramFile> find_program_file(const std::string& name) {
  const Result<std::string> path = smaps::find_program(name, search_path());
  if (!path) return path.error();
  const smaps::ImageInspection inspection = smaps::inspect_image(*path);
  ProgramFile program{.path = *path, .probe = "", .reason = inspection.sentence};
  program.sampled_only = inspection.kind != smaps::ImageKind::recordable;
  if (!bears_preload(inspection.kind)) return program;
  const Result<std::string> probe = find_probe();
  if (probe) {
    program.probe = *probe;
  } else {
    program.sampled_only = true;
    program.reason = probe.error().sentence;
  }
  return program;
}

Result<std::string> find_probe() {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0) return Error{"cannot find memswell's own files: /proc/self/exe cannot be read."};
  std::string path(self, static_cast<std::size_t>(length));
  path.resize(path.rfind('/'));
  path.resize(path.rfind('/'));
  path += "/lib/memswell/libmemswell.so";
  if (path.find_first_of(" :") != std::string::npos)
    return Error{"cannot preload " + path + ": the loader takes a space or colon in it for its end; install memswell elsewhere."};
  if (access(path.c_str(), R_OK) != 0)
    return Error{"cannot find the probe " + path + ": memswell is not installed completely."};
  return path;
}

}  // namespace memswell::capture
