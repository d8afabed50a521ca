// Debug information that lies beside a program or inside it in another form: each found, and only if it belongs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "fixture.h"

namespace memswell::symbols {
namespace {

namespace fs = std::filesystem;

// A folder with copies of a stripped fixture and, where a test puts it, of its debug file.
struct SeparateFiles : testing::Test {
  TemporaryFolder folder;
  SymbolizerOptions options = bare_options();

  std::string put(const std::string& fixture, const std::string& place) {
    const fs::path target = fs::path(folder.path()) / place;
    fs::create_directories(target.parent_path());
    fs::copy_file(fixture_path(fixture), target, fs::copy_options::overwrite_existing);
    return target.string();
  }
  Named inlined_in(const std::string& path, const std::string& original) {
    return name_of(path, told_by(original).at("inlined"), trace::FrameKind::call, options);
  }
};

TEST_F(SeparateFiles, AreFoundBesideTheProgram) {
  const auto program = put("linked", "program");
  const auto debug = put("apart/linked.debug", "linked.debug");
  const auto named = inlined_in(program, "dwarf4");
  EXPECT_EQ(named.levels.size(), 3u);
  EXPECT_TRUE(named.module.debug_info);
  EXPECT_TRUE(named.module.symbol_table);
  EXPECT_EQ(named.module.note, "debug information from " + debug);
}

TEST_F(SeparateFiles, AreFoundInTheDebugFolderBeside) {
  const auto program = put("linked", "program");
  put("apart/linked.debug", ".debug/linked.debug");
  EXPECT_EQ(inlined_in(program, "dwarf4").levels.size(), 3u);
}

TEST_F(SeparateFiles, AreFoundUnderADebugDirectoryByPath) {
  const auto program = put("linked", "program");
  options.search.directories = {folder.path() + "/debug"};
  put("apart/linked.debug", "debug" + folder.path() + "/linked.debug");
  EXPECT_EQ(inlined_in(program, "dwarf4").levels.size(), 3u);
}

TEST_F(SeparateFiles, AreFoundUnderADebugDirectoryByBuildId) {
  const auto program = put("stripped", "program");
  const std::string id = hex(module_at(program).build_id);
  options.search.directories = {folder.path() + "/debug"};
  put("dwarf5", "debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
  EXPECT_EQ(inlined_in(program, "dwarf5").levels.size(), 3u);
}

TEST_F(SeparateFiles, OfAnotherBuildAreLeftAlone) {
  const auto program = put("linked", "program");
  put("other_build", "linked.debug");
  const auto named = inlined_in(program, "dwarf4");
  EXPECT_TRUE(named.levels.empty());
  EXPECT_FALSE(named.module.debug_info);
}

TEST_F(SeparateFiles, WithoutBuildIdAreCheckedByTheirChecksum) {
  const auto program = put("linked_without_id", "program");
  const auto debug = put("apart/linked_without_id.debug", "linked_without_id.debug");
  EXPECT_EQ(inlined_in(program, "no_build_id").levels.size(), 3u);
  write_file(debug, read_file(debug) + "x");
  EXPECT_TRUE(inlined_in(program, "no_build_id").levels.empty());
}

// A client that has every debug file, and the same one.
TEST_F(SeparateFiles, AreAskedOfDebuginfodOnlyOnRequest) {
  const auto program = put("linked", "program");
  const auto debug = put("apart/linked.debug", "client/cache/debuginfo");
  const std::string client = folder.path() + "/client/debuginfod-find";
  write_file(client, "#!/bin/sh\ntest \"$1\" = debuginfo || exit 1\necho " + debug + "\n");
  fs::permissions(client, fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder.path() + "/client:" + path).c_str(), 1);
  EXPECT_TRUE(inlined_in(program, "dwarf4").levels.empty());
  options.search.debuginfod = true;
  EXPECT_EQ(inlined_in(program, "dwarf4").levels.size(), 3u);
  EXPECT_EQ(inlined_in(put("stripped", "other"), "dwarf5").levels.size(), 0u);
  setenv("PATH", "/nonexistent", 1);
  EXPECT_TRUE(inlined_in(program, "dwarf4").levels.empty());
  setenv("PATH", path.c_str(), 1);
}

TEST_F(SeparateFiles, PackedIntoTheProgramGiveItsFunctions) {
  if (!fs::exists(fixture_path("mini"))) GTEST_SKIP() << "xz was not there to build this fixture";
  const auto named = name_of(fixture_path("mini"), told_by("dwarf5").at("plain"));
  EXPECT_EQ(as_text(named.levels), "plain_c");
  EXPECT_EQ(named.module.note.find("function names from its .gnu_debugdata"), 0u) << named.module.note;
}

}  // namespace
}  // namespace memswell::symbols
