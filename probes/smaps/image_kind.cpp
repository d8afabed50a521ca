#include "probes/smaps/image_kind.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include "probes/smaps/elf_file.h"
#include "probes/smaps/program_lookup.h"

namespace memswell::smaps {
namespace {

// File names of glibc's dynamic loader, by beginning (ld-linux-x86-64.so.2, ld-linux-aarch64.so.1, ld64.so.2,
// ld-2.31.so).
constexpr std::string_view kGlibcLoaders[] = {"ld-linux", "ld64.so", "ld.so.1", "ld-2."};

struct SanitizerRow {
  std::string_view library;     // DT_NEEDED begins like this
  std::string_view clang_name;  // or holds this
  std::string_view symbol;      // or the run-time is linked in, which this function tells
  std::string_view name;
};

// UndefinedBehaviorSanitizer alone does not care who comes first.
constexpr SanitizerRow kSanitizers[] = {
    {"libasan.so", "clang_rt.asan", "__asan_init", "AddressSanitizer"},
    {"libtsan.so", "clang_rt.tsan", "__tsan_init", "ThreadSanitizer"},
    {"liblsan.so", "clang_rt.lsan", "__lsan_init", "LeakSanitizer"},
    {"libhwasan.so", "clang_rt.hwasan", "__hwasan_init", "HWAddressSanitizer"},
    {"libmsan.so", "clang_rt.msan", "__msan_init", "MemorySanitizer"},
};

struct AllocatorRow {
  std::string_view symbol;
  std::string_view name;
};

constexpr AllocatorRow kAllocators[] = {
    {"_rjem_malloc", "jemalloc"}, {"je_malloc", "jemalloc"},      {"mallocx", "jemalloc"},
    {"mi_malloc", "mimalloc"},    {"tc_malloc", "tcmalloc"},      {"TCMallocInternalMalloc", "tcmalloc"},
    {"rpmalloc", "rpmalloc"},     {"snmalloc_alloc", "snmalloc"}, {"scalable_malloc", "tbbmalloc"},
};

constexpr std::string_view kSampled = "; its memory is sampled from outside, its calls are not recorded";

std::vector<std::string> names_to_look_for() {
  std::vector<std::string> names = {"malloc"};
  for (const auto& row : kSanitizers) names.emplace_back(row.symbol);
  for (const auto& row : kAllocators) names.emplace_back(row.symbol);
  return names;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_glibc_loader(std::string_view path) {
  const auto name = file_name(path);
  return std::ranges::any_of(kGlibcLoaders, [&](std::string_view begin) { return name.starts_with(begin); });
}

bool defines(const ElfFacts& facts, std::string_view symbol) {
  return std::ranges::find(facts.exported, symbol) != facts.exported.end() ||
         std::ranges::find(facts.defined, symbol) != facts.defined.end();
}

std::optional<std::string_view> sanitizer_of(const ElfFacts& facts) {
  for (const auto& row : kSanitizers) {
    const bool needed = std::ranges::any_of(facts.needed, [&](std::string_view library) {
      return library.starts_with(row.library) || library.find(row.clang_name) != std::string_view::npos;
    });
    if (needed || defines(facts, row.symbol)) return row.name;
  }
  return std::nullopt;
}

std::optional<std::string_view> why_privileged(const std::string& path) {
  struct stat status {};
  struct statvfs volume {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  const bool ignored = (::statvfs(path.c_str(), &volume) == 0 && (volume.f_flag & ST_NOSUID) != 0) ||
                       ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  if (ignored) return std::nullopt;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != ::getuid()) return "set-user-id";
  const bool setgid = (status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0;
  if (setgid && status.st_gid != ::getgid()) return "set-group-id";
  std::array<char, 64> capabilities{};
  const bool has_capabilities =
      ::getxattr(path.c_str(), "security.capability", capabilities.data(), capabilities.size()) > 0;
  if (has_capabilities && ::getuid() != 0) return "file capabilities";
  return std::nullopt;
}

void say(ImageInspection& image, ImageKind kind, std::string reason) {
  image.kind = kind;
  image.sentence = std::move(reason) + std::string(kSampled);
}

void judge_kind(ImageInspection& image, const ElfFacts& facts) {
  if (!facts.native) return say(image, ImageKind::other_class, image.path + " is for another class of machine");
  if (const auto why = why_privileged(image.path)) {
    return say(image, ImageKind::privileged,
               image.path + " runs with other rights (" + std::string(*why) +
                   "), for which the dynamic loader ignores preloaded libraries");
  }
  if (const auto name = sanitizer_of(facts)) {
    return say(image, ImageKind::sanitizer,
               image.path + " is built with " + std::string(*name) + ", whose run-time must be the first library");
  }
  // The loader itself, called with a program as its argument, preloads too.
  const bool is_loader = !facts.has_interpreter && is_glibc_loader(facts.soname);
  if (!facts.has_interpreter && !is_loader) {
    return say(image, ImageKind::static_executable,
               image.path + " is a static executable: no dynamic loader is there to preload a library");
  }
  if (facts.has_interpreter && !is_glibc_loader(facts.interpreter)) {
    say(image, ImageKind::other_libc,
        image.path + " is loaded by " + facts.interpreter + ", not by glibc's loader that memswell's library needs");
  }
}

void judge_malloc(ImageInspection& image, const ElfFacts& facts) {
  const auto allocator = std::ranges::find_if(kAllocators, [&](const auto& row) { return defines(facts, row.symbol); });
  if (allocator != std::end(kAllocators)) image.embedded_allocator = allocator->name;
  image.own_malloc_exported = std::ranges::find(facts.exported, "malloc") != facts.exported.end();
  image.own_malloc = image.own_malloc_exported || defines(facts, "malloc");
  if (!image.own_malloc || image.kind != ImageKind::recordable) return;
  const auto whose = image.embedded_allocator.empty() ? "" : " (" + image.embedded_allocator + ")";
  image.sentence =
      image.path + " defines malloc itself" + whose + ": calls " +
      (image.own_malloc_exported ? "in it and its libraries" : "in the executable, but not in its libraries,") +
      " go past memswell and are not recorded";
}

}  // namespace

ImageInspection inspect_image(const std::string& path) {
  ImageInspection image;
  image.path = path;
  auto program = follow_scripts(path);
  if (!program) {
    say(image, ImageKind::unreadable, program.error().sentence);
    return image;
  }
  image.path = std::move(program->path);
  image.scripts = std::move(program->scripts);
  static const auto names = names_to_look_for();
  const auto facts = read_elf_facts(image.path, names);
  if (!facts) {
    say(image, ImageKind::unreadable, facts.error().sentence);
    return image;
  }
  judge_kind(image, *facts);
  judge_malloc(image, *facts);
  return image;
}

}  // namespace memswell::smaps
