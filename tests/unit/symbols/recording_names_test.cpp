#include "symbols/recording_names.h"

#include <gtest/gtest.h>

#include "fixture.h"

namespace memswell::symbols {
namespace {

struct Recorded : testing::Test {
  RecordingNames names;
  trace::Frame plain{ModuleId{1}, trace::FrameKind::call, told_by("dwarf5").at("plain")};
  trace::Frame hidden{ModuleId{1}, trace::FrameKind::call, told_by("dwarf5").at("hidden")};

  void SetUp() override {
    names.on(module_at(fixture_path("dwarf5")));
    names.on(trace::StackNode{StackId{1}, StackId{0}, plain});
    names.on(trace::StackNode{StackId{2}, StackId{1}, hidden});
    names.on(trace::StackNode{StackId{3}, StackId{2}, plain});
  }
};

TEST_F(Recorded, FramesAreNamedOnceEach) {
  EXPECT_EQ(names.lacking(), 2u);
  EXPECT_EQ(names.look_up(bare_options()).frames.size(), 2u);
  EXPECT_EQ(names.lacking(), 0u);
  ASSERT_NE(names.find(plain), nullptr);
  EXPECT_EQ(names.find(plain)->at(0).function, "plain_c");
}

TEST_F(Recorded, FramesWithSymbolsAreLeftOut) {
  names.on(trace::FrameSymbols{plain, {{"already", "", 0}}});
  names.on(trace::StackNode{StackId{4}, StackId{3}, plain});
  EXPECT_EQ(names.look_up(bare_options()).frames.size(), 1u);
  EXPECT_EQ(names.find(plain), nullptr);
  EXPECT_NE(names.find(hidden), nullptr);
}

TEST_F(Recorded, FramesWithoutNameAreNotFound) {
  const trace::Frame nowhere{ModuleId{1}, trace::FrameKind::call, 1};
  names.on(trace::StackNode{StackId{4}, StackId{3}, nowhere});
  names.look_up(bare_options());
  EXPECT_EQ(names.find(nowhere), nullptr);
}

}  // namespace
}  // namespace memswell::symbols
