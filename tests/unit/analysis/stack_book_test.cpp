#include "analysis/stack_book.h"

#include <gtest/gtest.h>

namespace memswell::analysis {
namespace {

trace::Frame frame(std::uint64_t offset, std::uint32_t module = 1) {
  return {ModuleId{module}, trace::FrameKind::call, offset};
}

bool is_malloc(std::string_view function, std::string_view) { return function == "malloc" || function == "xmalloc"; }

class StackBookTest : public ::testing::Test {
 protected:
  StackBookTest() { book_.on(trace::Module{ModuleId{1}, "/bin/prog", {}}); }

  // main calls `caller` calls malloc, as recorded: outermost first. Returns the stack of malloc.
  StackId add(std::uint64_t caller, const std::string& name) {
    node(StackId{0}, frame(0x10));
    const StackId inside = node(StackId{1}, frame(caller));
    if (!name.empty()) book_.on(trace::FrameSymbols{frame(caller), {{name, "prog.c", 7}}});
    return node(inside, frame(0x9000));
  }
  StackId node(StackId parent, trace::Frame frame) {
    const StackId id{++last_};
    book_.on(trace::StackNode{id, parent, frame});
    return id;
  }
  void resolve() {
    book_.on(trace::FrameSymbols{frame(0x9000), {{"malloc", "", 0}}});
    book_.resolve(nullptr, is_malloc);
  }

  StackBook book_;
  std::uint32_t last_ = 0;
};

TEST_F(StackBookTest, ASiteIsTheInnermostFrameOutsideOfPlumbing) {
  const StackId stack = add(0x100, "parse");
  resolve();
  const Site& site = book_.site(book_.site_of(stack));
  EXPECT_EQ(site.function, "parse");
  EXPECT_EQ(site.file, "prog.c");
  EXPECT_EQ(site.line, 7u);
  EXPECT_EQ(site.module, "/bin/prog");
}

TEST_F(StackBookTest, AnInlinedLevelCanBeTheSite) {
  const StackId stack = node(StackId{0}, frame(0x200));
  book_.on(trace::FrameSymbols{frame(0x200), {{"xmalloc", "x.h", 1}, {"load", "prog.c", 9}}});
  resolve();
  EXPECT_EQ(book_.site(book_.site_of(stack)).function, "load");
}

TEST_F(StackBookTest, AFrameWithoutANameIsKnownByItsAddress) {
  const StackId stack = add(0x300, "");
  resolve();
  EXPECT_EQ(book_.site(book_.site_of(stack)).function, "");
  EXPECT_EQ(book_.site(book_.site_of(stack)).offset, 0x300u);
}

TEST_F(StackBookTest, TwoAddressesOfOneLineAreOneSite) {
  const StackId inside = node(StackId{0}, frame(0x10));
  const StackId first = node(inside, frame(0x100));
  const StackId second = node(inside, frame(0x108));
  book_.on(trace::FrameSymbols{frame(0x100), {{"parse", "prog.c", 7}}});
  book_.on(trace::FrameSymbols{frame(0x108), {{"parse", "prog.c", 7}}});
  resolve();
  EXPECT_EQ(book_.site_of(first), book_.site_of(second));
}

TEST_F(StackBookTest, AStackOfNothingButPlumbingNamesIt) {
  const StackId stack = node(StackId{0}, frame(0x9000));
  resolve();
  EXPECT_EQ(book_.site(book_.site_of(stack)).function, "malloc");
}

TEST_F(StackBookTest, AStackOfNothingButPlumbingIsNamedByItsInnermostFrameWithAName) {
  const StackId start = node(StackId{0}, frame(0x9000));
  const StackId wrapper = node(start, frame(0x9100));
  const StackId inner = node(wrapper, frame(0x9200));
  book_.on(trace::FrameSymbols{frame(0x9100), {{"malloc_wrapper", "", 0}}});
  book_.on(trace::FrameSymbols{frame(0x9000), {{"malloc_start", "", 0}}});
  book_.resolve(nullptr, [](std::string_view function, std::string_view) {
    return function.empty() || function.starts_with("malloc");
  });
  EXPECT_EQ(book_.site(book_.site_of(start)).function, "malloc_start");
  EXPECT_EQ(book_.site(book_.site_of(wrapper)).function, "malloc_wrapper");
  EXPECT_EQ(book_.site(book_.site_of(inner)).function, "malloc_wrapper") << "the frame inside has no name";
}

TEST_F(StackBookTest, AStackThatComesAfterResolvingGetsItsSite) {
  book_.on(trace::FrameSymbols{frame(0x100), {{"late", "prog.c", 3}}});
  resolve();
  const StackId stack = node(StackId{0}, frame(0x100));
  EXPECT_EQ(book_.site(book_.site_of(stack)).function, "late");
}

TEST_F(StackBookTest, ASecondReadingChangesNothing) {
  const StackId stack = add(0x100, "parse");
  resolve();
  const SiteIndex before = book_.site_of(stack);
  last_ = 0;
  add(0x100, "other");
  EXPECT_EQ(book_.site_of(stack), before);
  EXPECT_EQ(book_.table().stacks.size(), 4u);
}

class SomeNames : public Names {
 public:
  std::vector<trace::SourceFrame> lookup(const trace::Frame&, const trace::Module& module) override {
    return {{"from " + module.path, "", 0}};
  }
};

TEST_F(StackBookTest, AsksForNamesThatTheRecordingLacks) {
  const StackId stack = node(StackId{0}, frame(0x500));
  SomeNames names;
  book_.resolve(&names, is_malloc);
  EXPECT_EQ(book_.site(book_.site_of(stack)).function, "from /bin/prog");
}

}  // namespace
}  // namespace memswell::analysis
