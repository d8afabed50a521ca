#include "probes/smaps/image_kind.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/smaps/elf_builder.h"
#include "tests/unit/smaps/temporary_directory.h"

namespace memswell::smaps {
namespace {

using test::build_elf;
using test::ElfSpec;
using test::TemporaryDirectory;

class ImageKindTest : public testing::Test {
 protected:
  std::string program(const ElfSpec& spec, unsigned mode = 0755) const {
    return directory_.write("program", build_elf(spec), mode);
  }
  ImageInspection inspect(const ElfSpec& spec) const { return inspect_image(program(spec)); }

  TemporaryDirectory directory_;
};

bool says(const ImageInspection& image, std::string_view words) {
  return image.sentence.find(words) != std::string::npos;
}

TEST_F(ImageKindTest, ADynamicGlibcProgramIsRecordable) {
  const auto image = inspect({});
  EXPECT_EQ(image.kind, ImageKind::recordable);
  EXPECT_FALSE(image.own_malloc);
  EXPECT_EQ(image.sentence, "");
}

TEST_F(ImageKindTest, TheShellOfThisSystemIsRecordable) {
  EXPECT_EQ(inspect_image("/bin/sh").kind, ImageKind::recordable);
}

TEST_F(ImageKindTest, WithoutAnInterpreterItIsStatic) {
  ElfSpec spec;
  spec.interpreter = "";
  spec.needed = {};
  const auto image = inspect(spec);
  EXPECT_EQ(image.kind, ImageKind::static_executable);
  EXPECT_TRUE(says(image, "static executable")) << image.sentence;
  EXPECT_TRUE(says(image, "sampled from outside")) << image.sentence;
}

TEST_F(ImageKindTest, TheLoaderItselfPreloadsToo) {
  ElfSpec spec;
  spec.interpreter = "";
  spec.soname = "ld-linux-x86-64.so.2";
  EXPECT_EQ(inspect(spec).kind, ImageKind::recordable);
}

TEST_F(ImageKindTest, MuslsLoaderIsAnotherLibc) {
  ElfSpec spec;
  spec.interpreter = "/lib/ld-musl-x86_64.so.1";
  const auto image = inspect(spec);
  EXPECT_EQ(image.kind, ImageKind::other_libc);
  EXPECT_TRUE(says(image, "/lib/ld-musl-x86_64.so.1")) << image.sentence;
}

TEST_F(ImageKindTest, AnAddressSanitizerProgramNeedsItsRunTimeFirst) {
  ElfSpec shared;
  shared.needed = {"libasan.so.8", "libc.so.6"};
  ElfSpec clang;
  clang.needed = {"libclang_rt.asan-x86_64.so"};
  ElfSpec linked_in;
  linked_in.exported = {"__asan_init", "malloc"};
  EXPECT_EQ(inspect(shared).kind, ImageKind::sanitizer);
  EXPECT_EQ(inspect(clang).kind, ImageKind::sanitizer);
  EXPECT_EQ(inspect(linked_in).kind, ImageKind::sanitizer);
  EXPECT_TRUE(says(inspect(shared), "AddressSanitizer"));
}

TEST_F(ImageKindTest, OtherSanitizersAreKnownByTheirRunTimes) {
  ElfSpec thread;
  thread.needed = {"libtsan.so.2"};
  ElfSpec memory;
  memory.exported = {"__msan_init"};
  ElfSpec tagged;
  tagged.defined = {"__hwasan_init"};
  EXPECT_TRUE(says(inspect(thread), "ThreadSanitizer"));
  EXPECT_TRUE(says(inspect(memory), "MemorySanitizer"));
  EXPECT_TRUE(says(inspect(tagged), "HWAddressSanitizer"));
}

TEST_F(ImageKindTest, UndefinedBehaviorSanitizerDoesNotMind) {
  ElfSpec spec;
  spec.needed = {"libubsan.so.1", "libc.so.6"};
  EXPECT_EQ(inspect(spec).kind, ImageKind::recordable);
}

TEST_F(ImageKindTest, AnotherMachineIsAnotherClass) {
  ElfSpec spec;
  spec.is_64_bit = false;
  spec.machine = EM_386;
  EXPECT_EQ(inspect(spec).kind, ImageKind::other_class);
}

TEST_F(ImageKindTest, AProgramOfAnotherUserWithSetUserIdIsPrivileged) {
  const auto path = program({});
  if (::chown(path.c_str(), ::getuid() + 1, static_cast<gid_t>(-1)) != 0)
    GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chmod(path.c_str(), 04755), 0);
  const auto image = inspect_image(path);
  EXPECT_EQ(image.kind, ImageKind::privileged);
  EXPECT_TRUE(says(image, "set-user-id")) << image.sentence;
}

TEST_F(ImageKindTest, SetUserIdOfTheSameUserChangesNothing) {
  EXPECT_EQ(inspect_image(program({}, 04755)).kind, ImageKind::recordable);
}

TEST_F(ImageKindTest, AnExportedMallocTakesTheCallsOfTheLibrariesToo) {
  ElfSpec spec;
  spec.exported = {"malloc", "mallocx"};
  const auto image = inspect(spec);
  EXPECT_EQ(image.kind, ImageKind::recordable);
  EXPECT_TRUE(image.own_malloc && image.own_malloc_exported);
  EXPECT_EQ(image.embedded_allocator, "jemalloc");
  EXPECT_TRUE(says(image, "defines malloc itself (jemalloc)")) << image.sentence;
}

TEST_F(ImageKindTest, AMallocThatIsNotExportedTakesTheExecutablesCallsOnly) {
  ElfSpec spec;
  spec.defined = {"malloc"};
  const auto image = inspect(spec);
  EXPECT_TRUE(image.own_malloc);
  EXPECT_FALSE(image.own_malloc_exported);
  EXPECT_TRUE(says(image, "but not in its libraries")) << image.sentence;
}

TEST_F(ImageKindTest, AnAllocatorUnderItsOwnNamesIsNamed) {
  ElfSpec spec;
  spec.defined = {"_rjem_malloc"};
  const auto image = inspect(spec);
  EXPECT_EQ(image.embedded_allocator, "jemalloc");
  EXPECT_FALSE(image.own_malloc);
  EXPECT_EQ(image.sentence, "");
}

TEST_F(ImageKindTest, AScriptIsJudgedByItsInterpreter) {
  ElfSpec spec;
  spec.interpreter = "/lib/ld-musl-x86_64.so.1";
  const auto interpreter = program(spec);
  const auto script = directory_.write("script", "#!" + interpreter + " -x\n", 0755);
  const auto image = inspect_image(script);
  EXPECT_EQ(image.kind, ImageKind::other_libc);
  EXPECT_EQ(image.path, interpreter);
  EXPECT_EQ(image.scripts, std::vector<std::string>{script});
}

TEST_F(ImageKindTest, WhatCannotBeReadIsUnreadableAndSaysWhy) {
  const auto image = inspect_image(directory_.path() + "/nothing");
  EXPECT_EQ(image.kind, ImageKind::unreadable);
  EXPECT_TRUE(says(image, "No such file")) << image.sentence;
}

}  // namespace
}  // namespace memswell::smaps
