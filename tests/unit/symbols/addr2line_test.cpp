// Agreement with binutils on many places of real code: a source of this room, full of inlined templates.
#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <sstream>

#include "fixture.h"
#include "symbols/demangle.h"
#include "symbols/elf_file.h"

namespace memswell::symbols {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  FILE* output = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, output)) text.append(buffer, got);
  return pclose(output) == 0 ? text : "";
}

struct Function {
  Address begin = 0;
  Address size = 0;
  std::string name;
};

std::vector<Function> functions_of(const std::string& program) {
  std::vector<Function> functions;
  std::istringstream lines(output_of("nm --defined-only -S '" + program + "'"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Function function;
    std::string type;
    if (!(words >> std::hex >> function.begin >> function.size >> type >> function.name)) continue;
    if (type == "t" || type == "T" || type == "W") functions.push_back(function);
  }
  return functions;
}

// Addresses inside of functions: between them lies padding, which addr2line gives to the function before.
std::vector<Address> random_addresses(const std::vector<Function>& functions, std::size_t count) {
  std::mt19937_64 random(20261130);
  std::vector<Address> addresses;
  while (addresses.size() < count && !functions.empty()) {
    const Function& function = functions[random() % functions.size()];
    if (function.size > 0) addresses.push_back(function.begin + random() % function.size);
  }
  return addresses;
}

struct Level {
  std::string function;  // without parameters
  std::string place;     // "/normal/path:line", or empty
};
using Levels = std::vector<Level>;

std::string without_parameters(const std::string& function) {
  std::size_t end = function.size();
  for (const std::string_view qualifier : {" const", " &", " &&"}) {
    if (function.ends_with(qualifier)) end -= qualifier.size();
  }
  if (end == 0 || function[end - 1] != ')') return function;
  int depth = 0;
  while (end-- > 0) {
    if (function[end] == ')') ++depth;
    if (function[end] == '(' && --depth == 0) break;
  }
  return function.substr(0, end);
}

// A line of 0 or "?" is none; binutils then gives the name of an object file, from the symbol table.
std::string normal_place(const std::string& file, const std::string& line) {
  return line == "0" || line == "?" ? "" : fs::path(file).lexically_normal().string() + ":" + line;
}

// One answer of `addr2line -a -i -f`: pairs of lines, function and place, until the next "0x…".
Levels normalised(const std::vector<std::string>& lines) {
  Levels levels;
  for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
    const std::string place = lines[i + 1].substr(0, lines[i + 1].find(" (discriminator"));
    const auto colon = place.rfind(':');
    levels.push_back({without_parameters(demangle(lines[i].c_str())),
                      normal_place(place.substr(0, colon), place.substr(colon + 1))});
  }
  return levels;
}

std::map<Address, Levels> ask_addr2line(const std::string& program, const std::vector<Address>& addresses) {
  std::string command = "addr2line -a -i -f -e '" + program + "'";
  for (const Address address : addresses) command += fmt::format(" {:x}", address);
  std::map<Address, Levels> answers;
  std::istringstream text(output_of(command));
  std::vector<std::string> lines;
  Address current = 0;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("0x")) {
      answers[current] = normalised(std::exchange(lines, {}));
      current = std::stoull(line, nullptr, 16);
    } else {
      lines.push_back(line);
    }
  }
  answers[current] = normalised(lines);
  return answers;
}

Levels own_answer(const trace::FrameSymbols& frame) {
  Levels levels;
  for (const auto& level : frame.levels) {
    levels.push_back({without_parameters(level.function), normal_place(level.file, std::to_string(level.line))});
  }
  return levels;
}

struct Agreement : testing::TestWithParam<const char*> {
  std::string program = fixture_path(GetParam());
  std::vector<Function> functions = functions_of(program);

  bool is_alias(const std::string& name, Address address) const {
    return std::any_of(functions.begin(), functions.end(), [&](const Function& function) {
      return address - function.begin < function.size && without_parameters(demangle(function.name.c_str())) == name;
    });
  }
  // Where DWARF has no linkage name, binutils prints the bare name where we add the scopes or, outermost, take the
  // symbol; or for an inlined level even the symbol around it. Folded functions have several names, all of them right.
  bool same_function(Address address, const Levels& ours, const Levels& theirs, std::size_t i) const {
    const std::string& our_name = ours[i].function;
    const std::string& their_name = theirs[i].function;
    if (our_name == their_name || our_name.ends_with("::" + their_name)) return true;
    if (their_name == ours.back().function) return true;
    const std::string bare = "::" + their_name.substr(0, their_name.find('<'));
    return i + 1 == ours.size() && (is_alias(their_name, address) || our_name.find(bare) != std::string::npos);
  }
  // binutils 2.40 takes the unit's main file for some rows of DWARF 5 that lie in a header (llvm-symbolizer does not).
  bool same_place(const std::string& ours, const std::string& theirs) const {
    if (ours == theirs) return true;
    const auto colon = theirs.rfind(':');
    const bool main_file = colon != std::string::npos && theirs.substr(0, colon).ends_with("/plumbing.cpp");
    return program.ends_with("5") && main_file && ours.ends_with(theirs.substr(colon));
  }
  void expect_same(Address address, const Levels& ours, const Levels& theirs) const {
    SCOPED_TRACE(fmt::format("{:x}", address));
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_TRUE(same_place(ours[i].place, theirs[i].place))
          << i << ": " << ours[i].place << " and " << theirs[i].place;
      EXPECT_TRUE(same_function(address, ours, theirs, i))
          << i << ": " << ours[i].function << " and " << theirs[i].function;
    }
  }
};

TEST_P(Agreement, OnFunctionsInlinedLevelsFilesAndLines) {
  const auto addresses = random_addresses(functions, 400);
  if (addresses.empty()) GTEST_SKIP() << "nm is not here";
  const auto theirs = ask_addr2line(program, addresses);
  if (theirs.size() < 2) GTEST_SKIP() << "addr2line is not here";
  Symbolizer symbolizer(bare_options());
  symbolizer.add(module_at(program));
  std::vector<trace::Frame> frames;
  for (const Address address : addresses) frames.push_back({ModuleId{1}, trace::FrameKind::exact, address});
  for (const auto& named : symbolizer.symbolize(frames).frames) {
    expect_same(named.frame.offset, own_answer(named), theirs.at(named.frame.offset));
  }
}

INSTANTIATE_TEST_SUITE_P(Dwarf, Agreement, testing::Values("room_dwarf4", "room_dwarf5"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace memswell::symbols
