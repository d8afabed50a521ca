// `memswell mark` from inside of a recorded program and from another shell: a phase of the recording begins right there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

std::vector<std::string> phase_names(const nlohmann::json& process) {
  std::vector<std::string> names;
  for (const auto& phase : process.at("phases")) names.push_back(phase.at("name"));
  return names;
}

nlohmann::json phase(const nlohmann::json& process, const std::string& name) {
  for (const auto& phase : process.at("phases"))
    if (phase.at("name") == name) return phase;
  throw std::runtime_error("no phase " + name);
}

TEST(Mark, FromInsideBeginsAPhase) {
  const TemporaryFolder folder;
  const std::string script = "\"$0\" mark load && \"$1\" exit; \"$0\" mark write && \"$1\" exit; \"$0\" mark --value 12 rows";
  const Finished f =
      memswell({"run", "-q", "-o", folder.file("x.swell"), "--", "sh", "-c", script, MEMSWELL_BINARY, case_path("endings")});
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_EQ(f.out, "kept 7000\nkept 7000\n");
  const auto report = report_when_complete(folder.file("x.swell"));
  EXPECT_THAT(phase_names(report.at("processes").at(0)), IsSupersetOf({"load", "write"}));
  const auto load = phase(report.at("processes").at(0), "load"), write = phase(report.at("processes").at(0), "write");
  EXPECT_LE(load.at("end_ns"), write.at("begin_ns"));
}

// From another shell, with the program in the middle of its work: what lives at the mark is exact.
TEST(Mark, FromOutsideFindsTheRecordingByPid) {
  const TemporaryFolder folder;
  const std::string script = R"(
    cd "$2" && mkfifo keys
    "$0" run -q -o '%p.swell' -- "$1" < keys > out & run=$!
    exec 3> keys
    until grep -q working out; do sleep 0.02; done
    pid=$(basename *.swell .swell)
    env -u MEMSWELL_REGION "$0" mark --pid $pid outside; echo "marked $?"
    env -u MEMSWELL_REGION "$0" mark --pid 1 wrong; echo "wrong $?"
    echo end >&3
    wait $run; echo "status $?"; mv *.swell x.swell)";
  const Finished f = run({.argv = {"sh", "-c", script, MEMSWELL_BINARY, case_path("terminal"), folder.path()}});
  EXPECT_EQ(f.out, "marked 0\nwrong 125\nstatus 31\n") << f.err;
  EXPECT_THAT(f.err, HasSubstr("memswell records no process 1"));
  const auto report = report_when_complete(folder.file("x.swell"));
  const auto outside = phase(report.at("processes").at(0), "outside");
  EXPECT_EQ(outside.at("begin_live_bytes").get<std::uint64_t>() / 1000, 40U);  // 1000 blocks of 40, and at most one of 64
  EXPECT_GT(outside.at("begin_rss_bytes"), 0);
}

TEST(Mark, WithoutARecordingSaysSo) {
  const TemporaryFolder folder;
  const Finished f = run({.argv = {"env", "-u", "MEMSWELL_REGION", "XDG_RUNTIME_DIR=" + folder.path(), MEMSWELL_BINARY, "mark", "x"}});
  EXPECT_EQ(f.exit_code, 125);
  EXPECT_THAT(f.err, HasSubstr("cannot mark"));
}

// Names are the caller's own bytes: into the recording whole, on a terminal without power.
TEST(Mark, NamesMayHoldAnyByte) {
  const TemporaryFolder folder;
  const std::string name = "a\x1b[31m\xff\tb";
  memswell({"run", "-q", "-o", folder.file("x.swell"), "--", "sh", "-c", "\"$0\" mark \"$1\"", MEMSWELL_BINARY, name});
  const Finished text = run({.argv = {MEMSWELL_BINARY, "report", folder.file("x.swell")}});
  EXPECT_THAT(text.out, ::testing::Not(HasSubstr("\x1b[31m")));
  const auto report = report_when_complete(folder.file("x.swell"));
  EXPECT_THAT(phase_names(report.at("processes").at(0)), Contains(HasSubstr("[31m")));
}

}  // namespace
}  // namespace memswell::tests
