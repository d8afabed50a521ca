#include "capture/capture_description.h"

#include <gnu/libc-version.h>

#include <array>

namespace memswell::capture {
namespace {

using format::ProcessFlag;

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

struct KnownAllocator {
  std::string_view part_of_name;
  std::string_view name;
};

constexpr std::array kKnownAllocators = {
    KnownAllocator{"jemalloc", "jemalloc"}, KnownAllocator{"mimalloc", "mimalloc"}, KnownAllocator{"tcmalloc", "tcmalloc"},
    KnownAllocator{"snmalloc", "snmalloc"}, KnownAllocator{"rpmalloc", "rpmalloc"}, KnownAllocator{"hoard", "Hoard"},
};

std::string describe_allocator(std::string_view path) {
  const std::string_view name = base_name(path);
  if (name.empty() || name.starts_with("libc.so") || name.starts_with("libc-"))
    return std::string("glibc ") + gnu_get_libc_version();
  for (const KnownAllocator& known : kKnownAllocators)
    if (name.find(known.part_of_name) != std::string_view::npos) return std::string(known.name);
  return std::string(name);
}

struct FlagSentence {
  ProcessFlag flag;
  std::string_view sentence;
};

// In the order of weight; the first that holds is told.
constexpr std::array kShortcomings = {
    FlagSentence{ProcessFlag::bypassed,
                 "A library was loaded with RTLD_DEEPBIND: what it allocates goes past the hooks and is not recorded."},
    FlagSentence{ProcessFlag::no_libunwind,
                 "libunwind could not be loaded: stacks end at the first frame that its tables would be needed for."},
};

}  // namespace

CaptureDescription describe_capture(std::uint32_t flags, std::string_view allocator_path, std::string_view executable) {
  const auto has = [flags](ProcessFlag flag) { return (flags & static_cast<std::uint32_t>(flag)) != 0; };
  if (has(ProcessFlag::own_malloc)) {
    const std::string program(base_name(executable));
    return {trace::Capture::sampler,
            program + " brings its own malloc, whose calls go past the hooks: its allocations are not recorded, its footprint is.",
            "own (linked into " + program + ")"};
  }
  CaptureDescription description{trace::Capture::full, "", describe_allocator(allocator_path)};
  for (const FlagSentence& row : kShortcomings) {
    if (!has(row.flag)) continue;
    description.reason = row.sentence;
    break;
  }
  return description;
}

std::string_view describe_exec_note(format::ExecNote note) {
  switch (note) {
    case format::ExecNote::recorded: return "";
    case format::ExecNote::static_executable: return "It is linked statically, so that nothing can be preloaded.";
    case format::ExecNote::other_libc: return "It runs on another C library than glibc, which the probe does not fit.";
    case format::ExecNote::sanitizer: return "It was built with a sanitizer, whose run-time library must come first.";
    case format::ExecNote::privileged: return "It runs with other privileges, so that the loader ignores the preload.";
    case format::ExecNote::other_class: return "It is made for another machine or word size than the probe.";
    case format::ExecNote::no_environment: return "It was started with an environment without the preload.";
    case format::ExecNote::unreadable: return "Its file cannot be read, so that it is not known whether a preload would do harm.";
  }
  return "It cannot be recorded.";
}

}  // namespace memswell::capture
