#include "program_kind.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "system_calls.h"

namespace memswell::probe {
namespace {

using format::ExecNote;

constexpr int kMostInterpreters = 4;  // the kernel's limit is 5
constexpr std::size_t kPathBytes = 1024;

class File {
 public:
  explicit File(const char* path)
      : fd_(static_cast<int>(system_call(SYS_openat, AT_FDCWD, as_word(path), O_RDONLY | O_CLOEXEC))) {}
  ~File() {
    if (fd_ >= 0) system_call(SYS_close, fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  // Bytes read; less than n at the end of the file.
  std::size_t read(void* to, std::size_t n, std::uint64_t at) const {
    const long got = system_call(SYS_pread64, fd_, as_word(to), static_cast<long>(n), static_cast<long>(at));
    return got < 0 ? 0 : static_cast<std::size_t>(got);
  }

 private:
  int fd_;
};

// The loader ignores LD_PRELOAD where the kernel sets AT_SECURE: the identity changes, or capabilities are gained.
bool gains_privilege(const File& file) {
  struct stat status{};
  if (system_call(SYS_fstat, file.fd(), as_word(&status)) < 0) return false;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != static_cast<uid_t>(system_call(SYS_getuid))) return true;
  if ((status.st_mode & S_ISGID) != 0 && status.st_gid != static_cast<gid_t>(system_call(SYS_getgid))) return true;
  const bool root = system_call(SYS_geteuid) == 0;
  return !root && system_call(SYS_fgetxattr, file.fd(), as_word("security.capability"), 0, 0) > 0;
}

struct Segments {
  char interpreter[128] = {};
  bool has_interpreter = false;
  Elf64_Phdr dynamic{};
  std::uint64_t first_bias = 0;  // file offset − address of the first loaded segment
};

bool read_segments(const File& file, const Elf64_Ehdr& elf, Segments& s) {
  bool first = true;
  for (unsigned i = 0; i < elf.e_phnum && i < 64; ++i) {
    Elf64_Phdr p;
    if (file.read(&p, sizeof p, elf.e_phoff + i * sizeof p) != sizeof p) return false;
    if (p.p_type == PT_INTERP) {
      const std::size_t n = p.p_filesz < sizeof s.interpreter - 1 ? p.p_filesz : sizeof s.interpreter - 1;
      s.has_interpreter = file.read(s.interpreter, n, p.p_offset) == n;
    } else if (p.p_type == PT_DYNAMIC) {
      s.dynamic = p;
    } else if (p.p_type == PT_LOAD && first) {
      s.first_bias = p.p_offset - p.p_vaddr;
      first = false;
    }
  }
  return true;
}

bool names_sanitizer(const char* library) {
  static constexpr const char* kRuntimes[] = {"libasan.so", "libtsan.so", "libhwasan.so", "libclang_rt.asan", "libclang_rt.tsan"};
  for (const char* runtime : kRuntimes) {
    if (starts_with(library, runtime)) return true;
  }
  return false;
}

// DT_NEEDED of a run-time library that insists on being the first. The string table lies in the first segment.
bool needs_sanitizer(const File& file, const Segments& s) {
  std::uint64_t strings = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= s.dynamic.p_filesz && at < 512 * sizeof(Elf64_Dyn); at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn d;
      if (file.read(&d, sizeof d, s.dynamic.p_offset + at) != sizeof d || d.d_tag == DT_NULL) break;
      if (d.d_tag == DT_STRTAB) strings = d.d_un.d_ptr + s.first_bias;
      if (pass == 0 || d.d_tag != DT_NEEDED || strings == 0) continue;
      char name[32] = {};
      file.read(name, sizeof name - 1, strings + d.d_un.d_val);
      if (names_sanitizer(name)) return true;
    }
  }
  return false;
}

ExecNote inspect_elf(const File& file, const Elf64_Ehdr& elf) {
  if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != EM_X86_64) return ExecNote::other_class;
  Segments s;
  if (elf.e_phentsize != sizeof(Elf64_Phdr) || !read_segments(file, elf, s)) return ExecNote::unreadable;
  if (!s.has_interpreter) return ExecNote::static_executable;
  const char* base = s.interpreter;
  for (const char* p = s.interpreter; *p != 0; ++p) {
    if (*p == '/') base = p + 1;
  }
  if (!starts_with(base, "ld-linux")) return ExecNote::other_libc;
  if (gains_privilege(file)) return ExecNote::privileged;
  if (needs_sanitizer(file, s)) return ExecNote::sanitizer;
  return ExecNote::recorded;
}

// "#! interpreter [argument]": the interpreter's path, in place. False: none.
bool interpreter_of(char* line, char*& path) {
  char* p = line + 2;
  while (*p == ' ' || *p == '\t') ++p;
  path = p;
  while (*p != 0 && *p != ' ' && *p != '\t' && *p != '\n') ++p;
  *p = 0;
  return *path != 0;
}

}  // namespace

ExecNote inspect_program(const char* path) {
  char buffers[2][256];
  for (int i = 0; i < kMostInterpreters; ++i) {
    const File file(path);
    if (!file.open()) return ExecNote::unreadable;
    char* head = buffers[i % 2];
    const std::size_t n = file.read(head, 255, 0);
    head[n] = 0;
    if (n >= sizeof(Elf64_Ehdr) && equal_bytes(head, ELFMAG, SELFMAG)) {
      Elf64_Ehdr elf;
      copy_bytes(&elf, head, sizeof elf);
      return inspect_elf(file, elf);
    }
    char* interpreter = nullptr;
    if (n < 3 || head[0] != '#' || head[1] != '!' || !interpreter_of(head, interpreter)) return ExecNote::unreadable;
    path = interpreter;
  }
  return ExecNote::unreadable;
}

ExecNote inspect_program_in_path(const char* file, const char* search_path) {
  for (const char* p = file; *p != 0; ++p) {
    if (*p == '/') return inspect_program(file);
  }
  if (search_path == nullptr) search_path = "/bin:/usr/bin";
  const std::size_t file_length = text_length(file);
  for (const char* p = search_path;; ++p) {
    const char* begin = p;
    while (*p != 0 && *p != ':') ++p;
    const auto length = static_cast<std::size_t>(p - begin);
    char path[kPathBytes];
    if (length + file_length + 2 <= sizeof path) {
      copy_bytes(path, begin, length);
      std::size_t at = length;
      if (at > 0) path[at++] = '/';
      copy_bytes(path + at, file, file_length + 1);
      if (system_call(SYS_faccessat, AT_FDCWD, as_word(path), X_OK) == 0) return inspect_program(path);
    }
    if (*p == 0) return ExecNote::unreadable;
  }
}

}  // namespace memswell::probe
