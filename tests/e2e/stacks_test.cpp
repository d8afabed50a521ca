// Stacks that are hard to follow: the site is right where it can be known, and nothing breaks where it cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Stacks, CoroutinesOfUcontext) {
  const Recorded r = record_case("coroutines", {"ucontext"});
  EXPECT_EQ(site(r, "coroutine_site"), (Site{2000, 160000, 0, 0}));
}

TEST(Stacks, HandWrittenSwitchWithNonsenseInRbp) {
#ifndef __x86_64__
  GTEST_SKIP() << "the switch is written for x86-64";
#endif
  EXPECT_EQ(site(record_case("coroutines", {"switch"}), "switched_site"), (Site{500, 500 * 94, 0, 0}));
}

TEST(Stacks, GeneratedCodeIsCountedThoughItHasNoName) {
#ifndef __x86_64__
  GTEST_SKIP() << "the code is generated for x86-64";
#endif
  EXPECT_THAT(count_differences(record_case("generated", {}, {.counted = true})), IsEmpty());
}

TEST(Stacks, ExceptionsPassThroughRecordedFrames) {
  const Recorded r = record_case("unwinding", {"throw"}, {.counted = true});
  EXPECT_EQ(r.run.out, "caught 200\n");
  EXPECT_THAT(count_differences(r), IsEmpty());
}

TEST(Stacks, RecursionDeeperThanTheLimitKeepsItsSite) {
  EXPECT_EQ(site(record_case("unwinding", {"recurse"}), "recursing_site"), (Site{201, 201 * 72, 0, 0}));
}

TEST(Stacks, FramesOfAnySizeKeepTheirSite) {
  EXPECT_EQ(site(record_case("unwinding", {"alloca"}), "alloca_site"), (Site{300, 300 * 84, 0, 0}));
}

Words plugins(const std::string& how, const std::string& prefix) {
  return {how, case_path("lib" + prefix + "1.so"), case_path("lib" + prefix + "2.so"),
          case_path("lib" + prefix + "3.so")};
}

// Same code at the same address, one after the other: only the module tells whose block it is.
TEST(Stacks, UnloadedPluginsKeepTheirNames) {
  const Recorded r = record_case("plugins", plugins("plain", "plugin"), {.counted = true});
  EXPECT_EQ(r.run.out, "loaded 3, unloaded 3, at one address\n");
  for (const char* name : {"plugin1_site", "plugin2_site", "plugin3_site"}) {
    EXPECT_EQ(site(r, name), (Site{250, 26000, 250, 26000})) << name;
  }
  EXPECT_THAT(count_differences(r), IsEmpty());
}

TEST(Stacks, PluginsWithStaticTlsStillLoad) {
  const Recorded r = record_case("plugins", plugins("plain", "tls_plugin"));
  EXPECT_EQ(r.run.out, "loaded 3, unloaded 3, at one address\n");
  EXPECT_EQ(site(r, "tls_plugin2_site").calls, 250U);
}

// RTLD_DEEPBIND lets a plugin's calls go past every preload: seen or not, no ghost may stay behind.
TEST(Stacks, DeepBoundPluginLeavesNoGhosts) {
  const Recorded r = record_case("plugins", {"deep", case_path("libplugin1.so")});
  EXPECT_EQ(site(r, "plugin1_site").live_blocks, 0U);
}

// The report of a recording whose program is no longer there, by a reader that has never seen it.
std::string report_elsewhere(const std::string& name, const Words& run_options) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / ("memswell-elsewhere-" + name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "cache");
  const std::string program = folder / "program", recording = folder / "run.swell";
  std::filesystem::copy_file(case_path("unwinding"), program);
  Words words = {"run", "-q", "-o", recording};
  words.insert(words.end(), run_options.begin(), run_options.end());
  words.insert(words.end(), {"--", program, "alloca"});
  EXPECT_EQ(memswell(words, {.environment = {{"XDG_CACHE_HOME", folder / "cache"}}}).exit_code, 0);
  std::filesystem::remove(program);
  const Finished report = memswell({"report", recording}, {.environment = {{"XDG_CACHE_HOME", folder / "other"}}});
  std::filesystem::remove_all(folder);
  return report.out;
}

TEST(Stacks, NamesTravelWithTheRecording) {
  EXPECT_THAT(report_elsewhere("named", {}), HasSubstr("main (unwinding.cpp:"));
  EXPECT_THAT(report_elsewhere("nameless", {"--no-symbols"}), AllOf(HasSubstr("program+0x"), Not(HasSubstr("unwinding.cpp"))));
}

}  // namespace
}  // namespace memswell::tests
