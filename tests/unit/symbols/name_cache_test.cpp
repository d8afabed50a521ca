#include "symbols/name_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "fixture.h"

namespace memswell::symbols {
namespace {

namespace fs = std::filesystem;

struct Cached : testing::Test {
  TemporaryFolder folder;
  std::string directory = folder.path() + "/cache/symbols";
  std::string program = folder.path() + "/program";
  NameCache cache{directory};
  BuildId id;

  void SetUp() override {
    fs::copy_file(fixture_path("stripped"), program);
    id = module_at(program).build_id;
  }
  NameTable table(const std::string& looked_for_debug_file_at = "/nonexistent.debug") const {
    NameTable names;
    names.build_id = id;
    names.note = "kept";
    const trace::SourceFrame level{"f()", "f.cpp", 1};
    names.add(0x1000, {&level, 1});
    names.consulted = {state_of(program), state_of(looked_for_debug_file_at)};
    return names;
  }
  std::string only_file() const { return fs::directory_iterator(directory)->path().string(); }
};

TEST_F(Cached, NamesComeBack) {
  EXPECT_FALSE(cache.load(program, id));
  cache.store(table());
  const auto loaded = cache.load(program, id);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->note, "kept");
  EXPECT_EQ(loaded->find(0x1000).size(), 1u);
}

TEST_F(Cached, FileIsForItsOwnerOnly) {
  cache.store(table());
  struct stat status {};
  ASSERT_EQ(stat(only_file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(Cached, NamesAreKeptWhenTheProgramIsGoneOrReplaced) {
  cache.store(table());
  fs::remove(program);
  EXPECT_TRUE(cache.load(program, id));
  fs::copy_file(fixture_path("other_build"), program);
  EXPECT_TRUE(cache.load(program, id));
}

TEST_F(Cached, NamesAreReadAnewWhenADebugFileHasCome) {
  const std::string debug = folder.path() + "/program.debug";
  cache.store(table(debug));
  EXPECT_TRUE(cache.load(program, id));
  write_file(debug, "anything");
  EXPECT_FALSE(cache.load(program, id));
}

TEST_F(Cached, NamesAreReadAnewForAnUnstrippedCopy) {
  cache.store(table());
  EXPECT_FALSE(cache.load(fixture_path("dwarf5"), id));
}

TEST_F(Cached, DamagedFileIsAsIfItWereNotThere) {
  cache.store(table());
  const std::string bytes = read_file(only_file());
  write_file(only_file(), bytes.substr(0, bytes.size() / 2));
  EXPECT_FALSE(cache.load(program, id));
  cache.store(table());
  EXPECT_TRUE(cache.load(program, id));
}

TEST_F(Cached, SymbolicLinkIsNotFollowed) {
  cache.store(table());
  const std::string file = only_file();
  fs::rename(file, folder.path() + "/elsewhere");
  fs::create_symlink(folder.path() + "/elsewhere", file);
  EXPECT_FALSE(cache.load(program, id));
}

TEST_F(Cached, NothingIsWrittenWhenSwitchedOffOrWithoutBuildId) {
  NameCache("").store(table());
  NameTable anonymous = table();
  anonymous.build_id.clear();
  cache.store(anonymous);
  EXPECT_FALSE(fs::exists(directory));
}

TEST_F(Cached, UnwritableDirectoryIsNoError) {
  const NameCache nowhere("/proc/nonexistent");
  nowhere.store(table());
  EXPECT_FALSE(nowhere.load(program, id));
}

// The same question twice: the second answer must not need the program's file.
TEST_F(Cached, SymbolizerAsksTheCacheFirst) {
  SymbolizerOptions options = bare_options();
  options.cache_directory = directory;
  const auto module = module_at(fixture_path("dwarf5"));
  const Address address = told_by("dwarf5").at("inlined");
  const auto first = name_of(module.path, address, trace::FrameKind::call, options);
  Symbolizer again(options);
  again.add({module.id, "/nonexistent/moved", module.build_id});
  const trace::Frame frame{module.id, trace::FrameKind::call, address};
  const auto names = again.symbolize({&frame, 1});
  EXPECT_EQ(first.levels.size(), 3u);
  EXPECT_EQ(names.frames[0].levels, first.levels);
  EXPECT_TRUE(names.modules[0].debug_info);
}

TEST(DefaultCacheDirectory, FollowsTheEnvironment) {
  setenv("XDG_CACHE_HOME", "/var/tmp/cache", 1);
  EXPECT_EQ(default_cache_directory(), "/var/tmp/cache/memswell/symbols");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(default_cache_directory(), "/home/somebody/.cache/memswell/symbols");
  unsetenv("HOME");
  EXPECT_EQ(default_cache_directory(), "");
}

}  // namespace
}  // namespace memswell::symbols
