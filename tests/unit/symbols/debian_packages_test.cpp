#include "symbols/debian_packages.h"

#include <gtest/gtest.h>

#include "fixture.h"

namespace memswell::symbols {
namespace {

struct Packages : testing::Test {
  TemporaryFolder lists;

  void SetUp() override {
    write_file(lists.path() + "/libfoo1:amd64.list", "/.\n/usr\n/usr/lib/x86_64-linux-gnu/libfoo.so.1\n");
    write_file(lists.path() + "/libc6:amd64.list", "/lib/x86_64-linux-gnu/libc.so.6\n");
    write_file(lists.path() + "/libfoo1:amd64.md5sums", "/usr/bin/other\n");
    write_file(lists.path() + "/tail.list", "/usr/bin/without-final-newline");
  }
  std::map<std::string, std::string> of(const std::string& path) { return debug_packages({path}, lists.path()); }
};

TEST_F(Packages, AreFoundByTheFileTheyOwn) {
  const std::string path = "/usr/lib/x86_64-linux-gnu/libfoo.so.1";
  EXPECT_EQ(of(path).at(path), "libfoo1-dbgsym");
  EXPECT_EQ(of("/usr/bin/without-final-newline").at("/usr/bin/without-final-newline"), "tail-dbgsym");
}

TEST_F(Packages, OfTheCLibraryHasItsOwnName) {
  EXPECT_EQ(of("/lib/x86_64-linux-gnu/libc.so.6").at("/lib/x86_64-linux-gnu/libc.so.6"), "libc6-dbg");
}

TEST_F(Packages, AreFoundWithAndWithoutUsr) {
  EXPECT_EQ(of("/usr/lib/x86_64-linux-gnu/libc.so.6").size(), 1u);
  EXPECT_EQ(of("/lib/x86_64-linux-gnu/libfoo.so.1").size(), 1u);
}

TEST_F(Packages, AreUnknownForFilesOfNobody) {
  EXPECT_TRUE(of("/home/me/program").empty());
  EXPECT_TRUE(of("/usr/bin/other").empty());
  EXPECT_TRUE(debug_packages({"/bin/true"}, "/nonexistent").empty());
}

}  // namespace
}  // namespace memswell::symbols
