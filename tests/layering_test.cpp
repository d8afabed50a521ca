// Holds the tree to the rules of the house: include arrows between rooms, which room sees which library, sizes, words.
// The arrows are those of the table in src/README.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/function_lengths.h"
#include "tests/support/source_tree.h"

namespace memswell::tests {
namespace {

using ::testing::IsEmpty;

constexpr int kMaxFileLines = 400;
constexpr int kMaxFunctionLines = 60;

const std::vector<SourceFile>& tree() {
  static const std::vector<SourceFile> files = read_tree(MEMSWELL_SOURCE_ROOT);
  return files;
}

bool begins_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

// ---------------------------------------------------------------------------------------------- arrows

struct Room {
  std::string folder;                // its files begin with this
  std::string include_prefix;        // and are included as this
  std::vector<std::string> may_see;  // include prefixes of other rooms; a whole header names just that header
};

const std::vector<Room>& rooms() {
  static const std::vector<Room> table = {
      {"src/base/", "base/", {}},
      {"src/trace/", "trace/", {"base/"}},
      {"probes/smaps/", "probes/smaps/", {"base/"}},
      {"src/symbols/", "symbols/", {"base/", "trace/"}},
      {"src/capture/", "capture/", {"base/", "trace/", "probes/smaps/"}},
      {"src/analysis/", "analysis/", {"base/", "trace/", "probes/smaps/"}},
      {"src/report/", "report/", {"base/", "analysis/", "symbols/"}},
      {"probes/include/", "memswell/", {}},
      {"workloads/", "workloads/", {"base/", "memswell/memswell.h"}},
      {"src/cli/",
       "cli/",
       {"base/", "trace/", "probes/smaps/", "symbols/", "capture/", "analysis/", "report/", "workloads/"}},
      {"probes/interposer/", "probes/interposer/", {"trace/format.h"}},
      {"tests/e2e/", "tests/e2e/", {"tests/support/", "memswell/memswell.h"}},
      {"tests/soak/", "tests/soak/", {"tests/support/"}},
      {"tests/bench/", "tests/bench/", {"base/", "trace/", "tests/support/", "memswell/memswell.h"}},
  };
  return table;
}

const Room* room_of_file(const std::string& path) {
  for (const Room& room : rooms()) {
    if (begins_with(path, room.folder)) return &room;
  }
  return nullptr;
}

const Room* room_of_header(const std::string& header) {
  for (const Room& room : rooms()) {
    if (begins_with(header, room.include_prefix)) return &room;
  }
  return nullptr;
}

bool may_include(const Room& room, const std::string& header) {
  if (begins_with(header, room.include_prefix)) return true;
  return std::any_of(room.may_see.begin(), room.may_see.end(),
                     [&](const std::string& allowed) { return begins_with(header, allowed); });
}

std::string place(const SourceFile& file, const Include& include) {
  return file.path + ":" + std::to_string(include.line) + " includes " + include.header;
}

TEST(Layering, IncludesFollowTheArrows) {
  std::vector<std::string> offences;
  for (const SourceFile& file : tree()) {
    const Room* room = room_of_file(file.path);
    if (room == nullptr) continue;
    for (const Include& include : file.includes) {
      if (room_of_header(include.header) != nullptr && !may_include(*room, include.header)) {
        offences.push_back(place(file, include));
      }
    }
  }
  EXPECT_THAT(offences, IsEmpty());
}

// The interposer and the workloads are compiled without the root in their include path, so that nothing but their own
// headers, by their bare names, and one header of ours can come in.
bool is_bare_name_at_home(const SourceFile& file, const Include& include, const std::set<std::string>& ours) {
  for (const std::string home : {"probes/interposer/", "workloads/"}) {
    if (begins_with(file.path, home) && ours.contains(home + include.header)) return true;
  }
  return false;
}

// A quoted header is ours and is written from src/ or from the root, so that its room can be read off the line.
TEST(Layering, QuotedIncludesNameTheirRoom) {
  std::set<std::string> ours;
  for (const SourceFile& file : tree()) ours.insert(file.path);
  std::vector<std::string> offences;
  for (const SourceFile& file : tree()) {
    if (room_of_file(file.path) == nullptr || begins_with(file.path, "tests/")) continue;
    for (const Include& include : file.includes) {
      const std::string from_src = "src/" + include.header;
      const bool found = ours.contains(from_src) || ours.contains(from_src + ".in") || ours.contains(include.header) ||
                         ours.contains("probes/include/" + include.header) || is_bare_name_at_home(file, include, ours);
      if (!include.angled && !found) offences.push_back(place(file, include));
    }
  }
  EXPECT_THAT(offences, IsEmpty());
}

// A workload is a plain program that anybody could have written: what describes it to memswell stands beside it.
TEST(Layering, WorkloadProgramsIncludeOnlyThePublicHeader) {
  std::vector<std::string> offences;
  for (const SourceFile& file : tree()) {
    const bool in_subfolder = std::count(file.path.begin(), file.path.end(), '/') > 1;
    const bool program = in_subfolder || file.text.find("int main(") != std::string::npos;
    if (!begins_with(file.path, "workloads/") || !program) continue;
    for (const Include& include : file.includes) {
      const Room* room = room_of_header(include.header);
      if (room != nullptr && room->folder != "probes/include/") offences.push_back(place(file, include));
    }
  }
  EXPECT_THAT(offences, IsEmpty());
}

// The table in src/README.md is what a newcomer reads; it says the same.
TEST(Layering, ReadmeTellsTheSameArrows) {
  const auto readme =
      std::find_if(tree().begin(), tree().end(), [](const auto& f) { return f.path == "src/README.md"; });
  ASSERT_NE(readme, tree().end());
  for (const Room& room : rooms()) {
    if (begins_with(room.folder, "tests/")) continue;
    std::string row = "| `" + room.folder + "` |";
    for (const std::string& seen : room.may_see) row += " `" + seen + "`";
    EXPECT_NE(readme->text.find(row + (room.may_see.empty() ? " nothing |" : " |")), std::string::npos) << row;
  }
}

TEST(Layering, RoomsFormNoCycle) {
  // The table is written so that a room may see only rooms above it; cli, last of the program's rooms, sees them all.
  std::set<std::string> above;
  std::vector<std::string> offences;
  for (const Room& room : rooms()) {
    for (const std::string& seen : room.may_see) {
      const Room* target = room_of_header(seen);
      const bool known = target != nullptr ? above.contains(target->folder) : begins_with(seen, "tests/support/");
      if (!known) offences.push_back(room.folder + " sees " + seen);
    }
    above.insert(room.folder);
  }
  EXPECT_THAT(offences, IsEmpty());
}

class HeaderGraph {
 public:
  HeaderGraph() {
    for (const SourceFile& file : tree()) {
      for (const std::string prefix : {"src/", "probes/include/", ""}) {
        if (is_c_family(file) && begins_with(file.path, prefix)) {
          by_name_[file.path.substr(prefix.size())] = &file;
          break;
        }
      }
    }
  }
  std::vector<std::string> cycles() {
    for (const auto& [name, file] : by_name_) visit(name, *file);
    return found_;
  }

 private:
  enum class State { unseen, open, done };

  void visit(const std::string& name, const SourceFile& file) {
    if (state_[name] == State::done) return;
    if (state_[name] == State::open) return found_.push_back(name);
    state_[name] = State::open;
    for (const Include& include : file.includes) {
      const auto next = by_name_.find(include.header);
      if (next != by_name_.end()) visit(next->first, *next->second);
    }
    state_[name] = State::done;
  }

  std::map<std::string, const SourceFile*> by_name_;
  std::map<std::string, State> state_;
  std::vector<std::string> found_;
};

TEST(Layering, HeadersFormNoCycle) { EXPECT_THAT(HeaderGraph().cycles(), IsEmpty()); }

// What CMake links between rooms must not say more than the arrows.
TEST(Layering, BuildFilesFollowTheArrows) {
  static const std::regex kRoom(R"(memswell_room\((\w+)[^)]*?\bUSES\s+([\w\s]*?)(?:LINKS[^)]*)?\))");
  std::vector<std::string> offences;
  for (const SourceFile& file : tree()) {
    const Room* room = room_of_file(file.path);
    if (room == nullptr || file.path != room->folder + "CMakeLists.txt") continue;
    for (std::sregex_iterator match(file.text.begin(), file.text.end(), kRoom), end; match != end; ++match) {
      std::istringstream used((*match)[2].str());
      for (std::string name; used >> name;) {
        const std::string prefix = name == "smaps" ? "probes/smaps/" : name + "/";
        if (!may_include(*room, prefix)) offences.push_back(file.path + " uses " + name);
      }
    }
  }
  EXPECT_THAT(offences, IsEmpty());
}

// ------------------------------------------------------------------------------------------- libraries

struct LibraryHome {
  std::string header;  // included headers that begin with this …
  std::string home;    // … only in files that begin with this
};

// The libraries that are slow to compile or dangerous to share have one home; the rest are named by their room's LINKS.
const std::vector<LibraryHome>& library_homes() {
  static const std::vector<LibraryHome> table = {
      {"CLI/", "src/cli/"},
      {"spdlog/", "src/base/log.cpp"},
      {"libunwind", "probes/interposer/unwind_with_libunwind.cpp"},
      {"demangle.h", "src/symbols/"},
      {"libiberty/", "src/symbols/"},
      {"nlohmann/", "src/report/|src/cli/|tests/"},
      {"rapidjson/", "src/report/|workloads/"},
      {"gtest/", "tests/"},
      {"gmock/", "tests/"},
      {"benchmark/", "tests/bench/"},
  };
  return table;
}

bool at_home(const std::string& path, const std::string& homes) {
  std::istringstream list(homes);
  for (std::string home; std::getline(list, home, '|');) {
    if (begins_with(path, home)) return true;
  }
  return false;
}

TEST(Layering, LibrariesStayInTheirRooms) {
  std::vector<std::string> offences;
  for (const SourceFile& file : tree()) {
    for (const Include& include : file.includes) {
      for (const LibraryHome& library : library_homes()) {
        if (include.angled && begins_with(include.header, library.header) && !at_home(file.path, library.home)) {
          offences.push_back(place(file, include));
        }
      }
    }
  }
  EXPECT_THAT(offences, IsEmpty());
}

// In somebody else's process: nothing that allocates, throws, streams, or has a destructor at exit.
TEST(Layering, InterposerIncludesNothingThatAllocates) {
  static const std::set<std::string> kForbidden = {
      "string",  "vector", "map",       "set",        "unordered_map",      "unordered_set", "deque",   "list",
      "memory",  "thread", "mutex",     "functional", "iostream",           "ostream",       "istream", "sstream",
      "fstream", "future", "exception", "stdexcept",  "condition_variable", "regex",         "any",     "filesystem"};
  std::vector<std::string> offences;
  for (const SourceFile& file : tree()) {
    if (!begins_with(file.path, "probes/interposer/")) continue;
    for (const Include& include : file.includes) {
      if (include.angled && kForbidden.contains(include.header)) offences.push_back(place(file, include));
    }
  }
  EXPECT_THAT(offences, IsEmpty());
}

// ----------------------------------------------------------------------------------------------- sizes

struct Excuse {
  std::string what;  // path, or path and the beginning of a function's head
  std::string why;
};

const std::vector<Excuse>& excuses() {
  static const std::vector<Excuse> none = {};
  return none;
}

bool is_excused(const std::string& what) {
  return std::any_of(excuses().begin(), excuses().end(), [&](const Excuse& e) { return begins_with(what, e.what); });
}

bool is_code(const SourceFile& file) {
  static const std::regex kCode(R"(.*\.(h|cpp|c|cc|py|ts|tsx|js|mjs|css|sh|cmake)|.*CMakeLists\.txt|scripts/[^.]*)");
  return std::regex_match(file.path, kCode) && !begins_with(file.path, "tests/fixtures/");
}

TEST(Sizes, NoFileIsLongerThan400Lines) {
  std::vector<std::string> offences;
  for (const SourceFile& file : tree()) {
    if (is_code(file) && file.lines > kMaxFileLines && !is_excused(file.path)) {
      offences.push_back(file.path + " has " + std::to_string(file.lines) + " lines");
    }
  }
  EXPECT_THAT(offences, IsEmpty());
}

TEST(Sizes, NoFunctionIsLongerThan60Lines) {
  std::vector<std::string> offences;
  for (const SourceFile& file : tree()) {
    if (!is_c_family(file) || !is_code(file)) continue;
    for (const FunctionLength& function : function_lengths(file.text)) {
      const std::string what = file.path + ":" + std::to_string(function.first_line) + " " + function.head;
      if (function.lines > kMaxFunctionLines && !is_excused(what)) {
        offences.push_back(what + " has " + std::to_string(function.lines) + " lines");
      }
    }
  }
  EXPECT_THAT(offences, IsEmpty());
}

TEST(Sizes, ExcusesCarryAReason) {
  for (const Excuse& excuse : excuses()) EXPECT_GT(excuse.why.size(), 20U) << excuse.what;
}

// ----------------------------------------------------------------------------------------------- words

// The project speaks of itself alone, and leaves nothing half done. The words are put together here so that this file
// does not contain them.
TEST(Words, NoFileNamesThisMachineOrLeavesWorkOpen) {
  const std::regex forbidden(std::string("(^|[^\\w.])/") + "work/|/tmp/" + "wt/|\\bissue #?\\d{1,2}\\b|\\bTO" +
                             "DO\\b|\\bFIX" + "ME\\b|\\bX" + "XX\\b");
  std::vector<std::string> offences;
  for (const SourceFile& file : tree()) {
    std::istringstream lines(file.text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.size() < 2000 && std::regex_search(line, forbidden)) {
        offences.push_back(file.path + ":" + std::to_string(number) + " " + line.substr(0, 120));
      }
    }
  }
  EXPECT_THAT(offences, IsEmpty());
}

}  // namespace
}  // namespace memswell::tests
