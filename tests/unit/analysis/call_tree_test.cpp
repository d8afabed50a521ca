#include "analysis/call_tree.h"

#include <gtest/gtest.h>

namespace memswell::analysis {
namespace {

// main ─► load ─► malloc: 100 bytes in 2 calls    main ─► save ─► malloc: 300 bytes in 1 call
class CallTreeTest : public ::testing::Test {
 protected:
  CallTreeTest() {
    run_.stacks.frames.resize(1);
    run_.stacks.stacks.resize(1);
    const std::uint32_t main = frame("main"), load = frame("load"), save = frame("save");
    const std::uint32_t malloc = frame("malloc", true);
    push(0, main);    // 1
    push(1, load);    // 2
    push(2, malloc);  // 3
    push(1, save);    // 4
    push(4, malloc);  // 5
    add(3, 100, 2);
    add(5, 300, 1);
  }
  std::uint32_t frame(const std::string& name, bool plumbing = false) {
    NamedFrame made;
    made.levels.push_back({name, "prog.c", 1});
    made.plumbing = plumbing;
    run_.stacks.frames.push_back(made);
    return static_cast<std::uint32_t>(run_.stacks.frames.size() - 1);
  }
  void push(std::uint32_t parent, std::uint32_t frame) { run_.stacks.stacks.push_back({StackId{parent}, frame}); }
  void add(std::uint32_t stack, Bytes bytes, std::uint64_t calls) {
    StackFigures figures;
    figures.stack = StackId{stack};
    figures.figures.allocated_bytes = bytes;
    figures.figures.calls = calls;
    process_.stacks.push_back(figures);
  }

  RunReport run_;
  ProcessReport process_;
};

TEST_F(CallTreeTest, TopDownBeginsAtMainAndPutsTheLargestFirst) {
  const CallNode tree = call_tree(run_, process_, Cost::allocated, Direction::top_down);
  EXPECT_EQ(tree.value, 400u);
  ASSERT_EQ(tree.children.size(), 1u);
  EXPECT_EQ(tree.children[0].function, "main");
  ASSERT_EQ(tree.children[0].children.size(), 2u);
  EXPECT_EQ(tree.children[0].children[0].function, "save");
  EXPECT_EQ(tree.children[0].children[0].value, 300u);
  EXPECT_EQ(tree.children[0].children[0].self, 300u);
  EXPECT_TRUE(tree.children[0].children[0].children.empty()) << "plumbing is left out";
}

TEST_F(CallTreeTest, BottomUpBeginsAtTheSites) {
  const CallNode tree = call_tree(run_, process_, Cost::calls, Direction::bottom_up);
  ASSERT_EQ(tree.children.size(), 2u);
  EXPECT_EQ(tree.children[0].function, "load");
  EXPECT_EQ(tree.children[0].value, 2u);
  EXPECT_EQ(tree.children[0].children.at(0).function, "main");
}

TEST_F(CallTreeTest, AStackWithoutTheCostIsNotThere) {
  EXPECT_TRUE(call_tree(run_, process_, Cost::temporary, Direction::top_down).children.empty());
}

}  // namespace
}  // namespace memswell::analysis
