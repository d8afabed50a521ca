#include <gtest/gtest.h>

#include <cstring>

#include "capture/layout_table.h"
#include "collecting_visitor.h"
#include "ring_producer.h"

namespace memswell::capture::test {
namespace {

constexpr std::uint32_t kLayoutPage = 10;

// A layout in the region with one module at [0x10000, 0x20000), loaded at 0x10000.
class StacksTest : public ::testing::Test {
 protected:
  StacksTest() {
    auto* header = region.pool_object<format::LayoutHeader>(kLayoutPage);
    header->users.store(1);
    add_module("/lib/libone.so", 0x10000, 0x20000);
  }

  void add_module(const char* path, Address begin, Address end) {
    auto* header = region.pool_object<format::LayoutHeader>(kLayoutPage);
    const std::uint32_t index = header->modules.fetch_add(1);
    const std::uint32_t at = header->strings_used.fetch_add(static_cast<std::uint32_t>(std::strlen(path)));
    std::memcpy(header->strings + at, path, std::strlen(path));
    format::ModuleEntry& entry = header->module[index];
    entry.begin = begin;
    entry.load_bias = begin;
    entry.path_offset = at;
    entry.path_length = static_cast<std::uint16_t>(std::strlen(path));
    entry.end.store(end);
  }

  std::optional<StackId> apply(std::uint64_t level, std::uint64_t keep, std::vector<std::uint64_t> pcs) {
    std::vector<std::uint64_t> words = {first_word(RecordKind::malloc, 0x1000), 1, stack_word(8, level, keep, pcs.size())};
    words.insert(words.end(), pcs.begin(), pcs.end());
    producer.append(words);
    RingRecord record;
    const std::uint64_t head = producer.ring.slot->head.load();
    EXPECT_EQ(producer.ring.reader.read(producer.ring.position, head, record), RingReader::Outcome::record);
    producer.ring.position = head;
    StackId top;
    if (!interner.apply(producer.ring.stacks, record, producer.ring.reader, *layout, top)) return std::nullopt;
    return top;
  }

  Region region = *Region::create({});
  RingProducer producer{region, 0, 1};
  TemporaryRecording recording;
  ModuleTable modules{*recording.writer};
  StackInterner interner{*recording.writer};
  LayoutTable layouts{region, modules, interner.frames()};
  Layout* layout = layouts.open(kLayoutPage + 1, "/bin/program");
};

TEST_F(StacksTest, GivesTheSameStackTheSameNode) {
  const auto first = apply(0, 0, {0x10100, 0x10200});
  const auto second = apply(0, 0, {0x10100, 0x10200});
  EXPECT_EQ(first, second);
  EXPECT_EQ(interner.nodes(), 2u);
}

TEST_F(StacksTest, KeepsTheOutermostFramesOfADifference) {
  const auto whole = apply(0, 0, {0x10100, 0x10200, 0x10300});
  apply(0, 1, {0x10400});
  EXPECT_EQ(apply(0, 1, {0x10200, 0x10300}), whole);
}

TEST_F(StacksTest, KeepsOneStackALevel) {
  const auto ordinary = apply(0, 0, {0x10100, 0x10200});
  apply(1, 0, {0x10900});
  EXPECT_EQ(apply(0, 2, {}), ordinary);
}

TEST_F(StacksTest, RefusesToKeepMoreThanThereIs) {
  apply(0, 0, {0x10100});
  EXPECT_EQ(apply(0, 2, {0x10200}), std::nullopt);
}

TEST_F(StacksTest, TakesTheLeafAloneOfTheLastLevel) { EXPECT_EQ(apply(3, 0, {0x10100}), apply(0, 0, {0x10100})); }

TEST_F(StacksTest, RefusesToKeepFramesOfTheLastLevel) {
  apply(3, 0, {0x10100});
  EXPECT_EQ(apply(3, 1, {0x10200}), std::nullopt);
}

TEST_F(StacksTest, WritesParentsBeforeChildrenWithOffsetsInTheModule) {
  const auto top = apply(0, 0, {0x10100, 0x10200});
  const CollectingVisitor seen = recording.read();
  ASSERT_EQ(seen.nodes.size(), 2u);
  EXPECT_EQ(seen.nodes[0].parent, StackId{});
  EXPECT_EQ(seen.nodes[0].frame.offset, 0x100u);
  EXPECT_EQ(seen.nodes[1].parent, seen.nodes[0].id);
  EXPECT_EQ(seen.nodes[1].id, *top);
  ASSERT_EQ(seen.modules.size(), 1u);
  EXPECT_EQ(seen.modules[0].path, "/lib/libone.so");
}

TEST_F(StacksTest, LooksUpAReturnAddressAtTheModulesEndInIt) {
  apply(0, 0, {0x20000});
  const CollectingVisitor seen = recording.read();
  EXPECT_EQ(seen.nodes[0].frame.offset, 0x10000u);
  EXPECT_NE(seen.nodes[0].frame.module, ModuleId{});
}

TEST_F(StacksTest, KeepsTheAddressOfCodeOutsideOfModules) {
  apply(0, 0, {0x7000'0000});
  const CollectingVisitor seen = recording.read();
  EXPECT_EQ(seen.nodes[0].frame.module, ModuleId{});
  EXPECT_EQ(seen.nodes[0].frame.offset, 0x7000'0000u);
}

TEST_F(StacksTest, TellsFramesThatASignalInterrupted) {
  apply(0, 0, {0x10100 | format::kExactPc});
  EXPECT_EQ(recording.read().nodes[0].frame.kind, trace::FrameKind::exact);
}

TEST_F(StacksTest, TellsWhyAWalkEnded) {
  apply(0, 0, {static_cast<std::uint64_t>(format::WalkEnd::depth_limit), 0x10100});
  EXPECT_EQ(recording.read().nodes[0].frame.kind, trace::FrameKind::depth_limit);
}

TEST_F(StacksTest, FindsModulesThatWerePublishedLater) {
  apply(0, 0, {0x30100});
  add_module("/lib/libtwo.so", 0x30000, 0x40000);
  apply(0, 0, {0x30200});
  const CollectingVisitor seen = recording.read();
  EXPECT_EQ(seen.nodes[1].frame.offset, 0x200u);
}

TEST_F(StacksTest, TakesAnEmptyPathForTheExecutable) {
  add_module("", 0x50000, 0x60000);
  apply(0, 0, {0x50100});
  const CollectingVisitor seen = recording.read();
  EXPECT_EQ(seen.modules.back().path, "/bin/program");
}

TEST_F(StacksTest, PassesOverModulesWhoseDescriptionMakesNoSense) {
  auto* header = region.pool_object<format::LayoutHeader>(kLayoutPage);
  header->module[1].path_offset = 0xffff'ffff;
  header->module[1].path_length = 100;
  header->module[1].begin = 0x70000;
  header->module[1].end.store(0x80000);
  header->modules.store(0xffff'ffff);
  apply(0, 0, {0x70100});
  EXPECT_EQ(recording.read().nodes[0].frame.module, ModuleId{});
}

TEST_F(StacksTest, OpensNoLayoutOutsideOfThePool) {
  EXPECT_EQ(layouts.open(format::kPoolPages, ""), nullptr);
  EXPECT_EQ(layouts.open(~std::uint64_t{0}, ""), nullptr);
  EXPECT_EQ(layouts.open(0, ""), nullptr);
}

TEST_F(StacksTest, KeepsALayoutThatIsUsed) {
  layouts.retire({});
  EXPECT_EQ(layouts.size(), 1u);
}

TEST_F(StacksTest, FreesALayoutThatNobodyUses) {
  region.header().pool_used[0].fetch_or(std::uint64_t{1} << kLayoutPage);
  layouts.drop_user(kLayoutPage + 1);
  layouts.retire({});
  EXPECT_EQ(layouts.size(), 0u);
  EXPECT_EQ(region.header().pool_used[0].load() & std::uint64_t{1} << kLayoutPage, 0u);
}

}  // namespace
}  // namespace memswell::capture::test
