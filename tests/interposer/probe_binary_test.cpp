// Reads the finished libmemswell.so: what it brings into somebody else's process is decided by the linker, not by
// intentions. Each test names what would go wrong in the program otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/support/elf_file.h"

namespace memswell::tests {
namespace {

using ::testing::IsEmpty;
using ::testing::IsSubsetOf;

const ElfFile& probe() {
  static const ElfFile file(MEMSWELL_PROBE);
  return file;
}

std::vector<std::string> not_in(const std::vector<std::string>& names, const std::set<std::string>& allowed) {
  std::vector<std::string> rest;
  for (const std::string& name : names) {
    if (!allowed.contains(name)) rest.push_back(name);
  }
  return rest;
}

// libstdc++ alone would add 110 kB of private dirty memory to a small program, libunwind's _Unwind_* would come before
// libgcc's and make exceptions of libraries loaded later ten times slower.
TEST(ProbeBinary, NeedsTheCLibraryOnly) {
  EXPECT_THAT(probe().needed(), IsSubsetOf({"libc.so.6", "ld-linux-x86-64.so.2"}));
}

// Hooks run before any constructor does, so nothing may depend on one: crtbegin's frame_dummy and one entry of ours.
TEST(ProbeBinary, HasAtMostOneConstructorOfItsOwn) { EXPECT_LE(probe().constructors(), 2U); }

TEST(ProbeBinary, HasNoDynamicallyInitialisedStatics) {
  EXPECT_THAT(probe().local_functions_beginning_with("_GLOBAL__sub_"), IsEmpty());
  EXPECT_THAT(probe().local_functions_beginning_with("__static_initialization"), IsEmpty());
}

// The program frees and allocates after the destructors of libraries: none of ours may tear anything down.
TEST(ProbeBinary, HasAtMostOneDestructorOfItsOwn) { EXPECT_LE(probe().destructors(), 2U); }

// Static TLS is taken from a reserve of about 1.6 KiB that plugins with initial-exec TLS need too.
TEST(ProbeBinary, TakesLittleStaticTls) { EXPECT_LE(probe().tls_bytes(), 128U); }

// Writable pages are dirtied in every recorded process; most of these are an arena that is used before the region is
// there.
TEST(ProbeBinary, HasLittleWritableData) { EXPECT_LE(probe().data_bytes(), 128U * 1024U); }

// Lazy binding would take the loader's lock inside a hook.
TEST(ProbeBinary, IsBoundAtStart) {
  EXPECT_TRUE((probe().dynamic_value(DT_FLAGS) & DF_BIND_NOW) != 0 ||
              (probe().dynamic_value(DT_FLAGS_1) & DF_1_NOW) != 0);
}

TEST(ProbeBinary, HasNoTextRelocationsAndNoExecutableStack) {
  EXPECT_FALSE(probe().has_dynamic(DT_TEXTREL));
  EXPECT_FALSE(probe().has_executable_stack());
}

// A program may define its own write(), getenv() or pthread_mutex_lock(): whatever the probe takes from outside must be
// harmless then. System calls are made inline; the rest is the loader's, and functions without a side effect.
TEST(ProbeBinary, CallsNothingThatAProgramReplaces) {
  static const std::set<std::string> kAllowed = {"dlsym",
                                                 "dlvsym",
                                                 "dl_iterate_phdr",
                                                 "_dl_find_object",
                                                 "__tls_get_addr",
                                                 "__libc_stack_end",
                                                 "_r_debug",
                                                 "memcpy",
                                                 "memmove",
                                                 "memset",
                                                 "memcmp",
                                                 "strlen",
                                                 "strcmp",
                                                 "strncmp",
                                                 "strchr",
                                                 "strrchr",
                                                 "__errno_location",
                                                 "__environ",
                                                 "environ",
                                                 "_environ",
                                                 "__stack_chk_fail",
                                                 "__cxa_finalize",
                                                 "_ITM_deregisterTMCloneTable",
                                                 "_ITM_registerTMCloneTable",
                                                 "__gmon_start__"};
  EXPECT_THAT(not_in(probe().undefined_symbols(), kAllowed), IsEmpty());
}

// What it exports comes before the program's libraries: the hooks, the public header's functions, nothing by accident.
TEST(ProbeBinary, ExportsNoSymbolByAccident) {
  std::vector<std::string> strange;
  for (const std::string& name : probe().exported_symbols()) {
    const bool mangled_of_ours = name.find("memswell") != std::string::npos && name.rfind("memswell_", 0) != 0;
    if (mangled_of_ours || name.rfind("unw_", 0) == 0 || name.rfind("_Unwind_", 0) == 0) strange.push_back(name);
  }
  EXPECT_THAT(strange, IsEmpty());
}

TEST(ProbeBinary, ExportsTheWholeMallocFamily) {
  const std::vector<std::string> exported = probe().exported_symbols();
  EXPECT_THAT(std::vector<std::string>({"malloc", "calloc", "realloc", "reallocarray", "free", "posix_memalign",
                                        "aligned_alloc", "memalign", "valloc", "pvalloc"}),
              IsSubsetOf(exported));
}

TEST(ProbeBinary, ExportsTheFunctionsOfThePublicHeader) {
  const std::vector<std::string> exported = probe().exported_symbols();
  EXPECT_THAT(std::vector<std::string>({"memswell_phase", "memswell_mark_value", "memswell_used", "memswell_pool_free",
                                        "memswell_pool_alloc"}),
              IsSubsetOf(exported));
}

}  // namespace
}  // namespace memswell::tests
