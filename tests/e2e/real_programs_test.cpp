// Programs that people run: every process image's calls and bytes equal those of an independent counter behind ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using ::testing::IsEmpty;

const char* const kPythonIndex =
    "import json\n"
    "index = {}\n"
    "for i in range(60000): index.setdefault('word%d' % (i * 7919 % 9973), []).append(i)\n"
    "print(len(json.dumps(index)))\n";

// The program itself: on a developer's path, python3 is often a shell script.
std::string find_program(const std::string& name) {
  for (const char* folder : {"/usr/bin/", "/usr/local/bin/", "/bin/"}) {
    if (std::filesystem::exists(folder + name)) return folder + name;
  }
  return {};
}

void expect_equal_counts(const Words& argv, RecordOptions options = {}) {
  if (argv[0].empty() || !std::filesystem::exists(argv[0])) GTEST_SKIP() << "the program is not installed";
  options.counted = true;
  const Recorded r = record(argv, options);
  EXPECT_EQ(r.run.exit_code, 0) << r.run.err;
  EXPECT_THAT(count_differences(r), IsEmpty());
  EXPECT_EQ(r.reports.at(0).at("recording").at("lost_events"), 0);
}

TEST(RealPrograms, Python) { expect_equal_counts({find_program("python3"), "-c", kPythonIndex}); }

TEST(RealPrograms, PythonOnPlainMalloc) {
  expect_equal_counts({find_program("python3"), "-c", kPythonIndex}, {.environment = {{"PYTHONMALLOC", "malloc"}}});
}

TEST(RealPrograms, PythonForkingWorkers) {
  expect_equal_counts({find_program("python3"), "-c",
                       "import multiprocessing as m\n"
                       "if __name__ == '__main__':\n"
                       "  with m.get_context('fork').Pool(3) as pool: print(sum(pool.map(abs, range(1000))))\n"
                       "  pool.join()\n"});
}

TEST(RealPrograms, PerlHashOfArrays) {
  expect_equal_counts({find_program("perl"), "-e",
                       "my %h; push @{$h{$_ % 5000}}, \"value $_\" for 1..100000; print scalar(keys %h), \"\\n\";"});
}

TEST(RealPrograms, CompilerOnHeavyHeaders) {
  const Finished where = run({.argv = {"g++", "-print-prog-name=cc1plus"}});
  const std::string compiler = where.out.substr(0, where.out.find('\n'));
  const TemporaryFolder folder;
  const std::string preprocessed = folder.file("heavy.ii");
  const Command preprocess{.argv = {"g++", "-E", "-xc++", "-o", preprocessed, "-"},
                           .input = "#include <regex>\n#include <iostream>\nint main() { std::regex r(\"a*\"); }\n"};
  ASSERT_EQ(run(preprocess).exit_code, 0);
  expect_equal_counts({compiler, "-quiet", "-fpreprocessed", preprocessed, "-o", folder.file("heavy.s")});
}

TEST(RealPrograms, SqliteInserts) {
  expect_equal_counts(
      {find_program("sqlite3"), ":memory:"},
      {.input = "create table t(a integer primary key, b text);\n"
                "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)\n"
                "insert into t select i, 'row number ' || i from n;\nselect count(*), max(length(b)) from t;\n"});
}

TEST(RealPrograms, NodeBuffers) {
  expect_equal_counts(
      {find_program("node"), "-e",
       "const b = []; for (let i = 0; i < 50; i++) b.push(Buffer.alloc(1 << 20, i)); console.log(b.length)"});
}

TEST(RealPrograms, ShellPipelineOfThree) {
  expect_equal_counts({find_program("bash"), "-c", "seq 1 20000 | sort -r | tail -n 1"});
}

TEST(RealPrograms, GitLog) {
  const TemporaryFolder folder;
  const std::string make =
      "git init -q . && git config user.email a@b && git config user.name n && i=0; while [ $i -lt 30 ]; do"
      " echo $i > f; git add f; git commit -qm \"change $i\"; i=$((i+1)); done";
  ASSERT_EQ(run({.argv = {"sh", "-c", make}, .working_directory = folder.path()}).exit_code, 0);
  expect_equal_counts({find_program("git"), "--no-pager", "log", "--stat"}, {.working_directory = folder.path()});
}

}  // namespace
}  // namespace memswell::tests
