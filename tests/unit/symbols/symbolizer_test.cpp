// Names, lines and inlined levels of known places, out of programs built in all the ways that matter.
#include "symbols/symbolizer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fixture.h"
#include "symbols/module_reader.h"

namespace memswell::symbols {
namespace {

std::string at_line(const std::string& function, const std::string& file, const std::string& comment) {
  return fmt::format("{}|{}:{}", function, file, line_of(file, comment));
}

std::string inlined_levels() {
  return at_line("shop::innermost()", "calls_inlined.h", "// innermost call") + " < " +
         at_line("shop::middle()", "calls_inlined.h", "// middle call") + " < " +
         at_line("shop::outer()", "calls.cpp", "// outer call");
}

class ProgramWithDebugInfo : public testing::TestWithParam<const char*> {
 protected:
  std::string told_as(const std::string& what) {
    return as_text(name_of(fixture_path(GetParam()), told_by(GetParam()).at(what)).levels);
  }
};

TEST_P(ProgramWithDebugInfo, ShowsInlinedLevelsWithTheLinesOfTheirCallers) {
  EXPECT_EQ(told_as("inlined"), inlined_levels());
}

TEST_P(ProgramWithDebugInfo, NamesMembersTemplatesAndLocalFunctions) {
  EXPECT_EQ(told_as("member"), at_line("shop::Basket::add(int)", "calls.cpp", "// member call"));
  EXPECT_EQ(told_as("template"), at_line("shop::doubled<long>(long)", "calls.cpp", "// template call"));
  EXPECT_EQ(told_as("hidden"), at_line("shop::(anonymous namespace)::hidden()", "calls.cpp", "// hidden call"));
  EXPECT_EQ(told_as("plain"), at_line("plain_c", "calls.cpp", "// plain call"));
}

TEST_P(ProgramWithDebugInfo, IsKnownAsSuch) {
  const auto named = name_of(fixture_path(GetParam()), 0);
  EXPECT_TRUE(named.module.symbol_table);
  EXPECT_TRUE(named.module.debug_info);
  EXPECT_EQ(named.module.note.substr(0, 29), "debug information in the file");
}

INSTANTIATE_TEST_SUITE_P(Fixtures, ProgramWithDebugInfo,
                         testing::Values("dwarf5", "dwarf4", "unoptimised", "compressed", "sections", "link_time",
                                         "fixed_address", "no_build_id", "split"),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST(Symbolizer, TakesTheSymbolTableWhereThereIsNoDebugInformation) {
  const auto named = name_of(fixture_path("symbols_only"), told_by("symbols_only").at("inlined"));
  EXPECT_EQ(as_text(named.levels), "shop::outer()");
  EXPECT_TRUE(named.module.symbol_table);
  EXPECT_FALSE(named.module.debug_info);
  EXPECT_EQ(named.module.note.find("function names from its symbol table, no source lines"), 0u) << named.module.note;
}

TEST(Symbolizer, FindsNoNameInAStrippedProgram) {
  const auto named = name_of(fixture_path("stripped"), told_by("dwarf5").at("inlined"));
  EXPECT_TRUE(named.levels.empty());
  EXPECT_FALSE(named.module.debug_info);
  EXPECT_NE(named.module.note.find("gives more"), std::string::npos) << named.module.note;
}

TEST(Symbolizer, LooksUpTheCallAndNotTheReturnAddress) {
  const Address behind_call = told_by("dwarf5").at("plain");
  Symbolizer symbolizer(bare_options());
  symbolizer.add(module_at(fixture_path("dwarf5")));
  const trace::Frame frames[] = {{ModuleId{1}, trace::FrameKind::call, behind_call},
                                 {ModuleId{1}, trace::FrameKind::exact, behind_call - 1}};
  const auto names = symbolizer.symbolize(frames);
  EXPECT_EQ(names.frames[0].levels, names.frames[1].levels);
  EXPECT_EQ(lookup_address({ModuleId{1}, trace::FrameKind::call, 0x100}), 0xffu);
  EXPECT_EQ(lookup_address({ModuleId{1}, trace::FrameKind::exact, 0x100}), 0x100u);
  EXPECT_EQ(lookup_address({ModuleId{1}, trace::FrameKind::call, 0}), 0u);
}

TEST(Symbolizer, KeepsTheOrderOfFramesAndRepeatsWhatIsAskedTwice) {
  const auto told = told_by("dwarf5");
  Symbolizer symbolizer(bare_options());
  symbolizer.add(module_at(fixture_path("dwarf5"), 1));
  symbolizer.add(module_at(fixture_path("plain"), 2));
  const Address cee = told_by("plain").at("cee");
  const trace::Frame frames[] = {{ModuleId{2}, trace::FrameKind::call, cee},
                                 {ModuleId{1}, trace::FrameKind::call, told.at("plain")},
                                 {ModuleId{1}, trace::FrameKind::call, told.at("hidden")},
                                 {ModuleId{2}, trace::FrameKind::call, cee}};
  const auto names = symbolizer.symbolize(frames);
  EXPECT_EQ(as_text(names.frames[0].levels), at_line("cee", "plain.c", "/* cee call */"));
  EXPECT_EQ(names.frames[1].levels.at(0).function, "plain_c");
  EXPECT_EQ(names.frames[2].levels.at(0).function, "shop::(anonymous namespace)::hidden()");
  EXPECT_EQ(names.frames[3].levels, names.frames[0].levels);
  EXPECT_EQ(names.modules.size(), 2u);
}

TEST(Symbolizer, GivesNoNameToMarksGeneratedCodeAndUnknownModules) {
  Symbolizer symbolizer(bare_options());
  symbolizer.add(module_at(fixture_path("dwarf5")));
  const Address address = told_by("dwarf5").at("plain");
  const trace::Frame frames[] = {{ModuleId{1}, trace::FrameKind::depth_limit, address},
                                 {ModuleId{1}, trace::FrameKind::unreadable, address},
                                 {ModuleId{0}, trace::FrameKind::call, address},
                                 {ModuleId{9}, trace::FrameKind::call, address}};
  const auto names = symbolizer.symbolize(frames);
  EXPECT_TRUE(names.modules.empty());
  for (const auto& frame : names.frames) EXPECT_TRUE(frame.levels.empty());
}

TEST(Symbolizer, NamesNothingFromAFileOfAnotherBuild) {
  trace::Module module = module_at(fixture_path("other_build"));
  const auto other = module_at(fixture_path("dwarf5"));
  module.build_id = other.build_id;
  Symbolizer symbolizer(bare_options());
  symbolizer.add(module);
  const trace::Frame frame{ModuleId{1}, trace::FrameKind::call, told_by("other_build").at("plain")};
  const auto names = symbolizer.symbolize({&frame, 1});
  EXPECT_TRUE(names.frames[0].levels.empty());
  EXPECT_FALSE(names.modules[0].symbol_table);
  EXPECT_NE(names.modules[0].note.find("has changed since it was recorded"), std::string::npos)
      << names.modules[0].note;
  EXPECT_NE(names.modules[0].note.find(hex(other.build_id)), std::string::npos);
}

struct FailingChild : testing::Test {
  ReadRequest request{
      fixture_path("dwarf5"), module_at(fixture_path("dwarf5")).build_id, {told_by("dwarf5").at("inlined")}, {}};
  SymbolizerOptions options = bare_options();

  std::size_t bytes_at(ReadDepth depth) {
    request.depth = depth;
    return read_names(request).encode().size();
  }
};

TEST_F(FailingChild, LeavesTheSymbolTable) {
  options.limits.result_bytes = bytes_at(ReadDepth::symbol_tables);
  ASSERT_GT(bytes_at(ReadDepth::debug_info), options.limits.result_bytes);
  const auto named = name_of(request.path, request.addresses[0], trace::FrameKind::exact, options);
  EXPECT_EQ(as_text(named.levels), "shop::outer()");
  EXPECT_FALSE(named.module.debug_info);
  EXPECT_NE(named.module.note.find("its debug information is unusable: reading it gave more than can be true"),
            std::string::npos)
      << named.module.note;
}

TEST_F(FailingChild, LeavesANoteIfTheSymbolTableFailsToo) {
  options.limits.result_bytes = 10;
  const auto named = name_of(request.path, request.addresses[0], trace::FrameKind::exact, options);
  EXPECT_TRUE(named.levels.empty());
  EXPECT_EQ(named.module.note, "reading it gave more than can be true");
}

TEST(Symbolizer, SaysWhyAFileGaveNoNames) {
  EXPECT_EQ(name_of("/nonexistent/program", 1).module.note, "its file cannot be opened (No such file or directory)");
  EXPECT_EQ(name_of("/bin/true (deleted)", 1).module.note,
            "its file was deleted or replaced while it ran, names are lost with it");
  EXPECT_EQ(name_of("[vdso]", 1).module.note,
            "mapped by the kernel or made at run time, there is no file to read names from");
  EXPECT_EQ(name_of("/dev/null", 1).module.note, "its file cannot be read: not a regular file");
  EXPECT_EQ(name_of(std::string(SYMBOLS_FIXTURE_SOURCES) + "/plain.c", 1).module.note,
            "its file cannot be read: not an ELF file, or a damaged one");
}

}  // namespace
}  // namespace memswell::symbols
