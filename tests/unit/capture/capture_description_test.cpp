#include "capture/capture_description.h"

#include <gtest/gtest.h>

#include "capture/own_pages.h"

namespace memswell::capture {
namespace {

using format::ProcessFlag;

TEST(CaptureDescription, NamesTheSystemsAllocatorWithItsVersion) {
  const auto said = describe_capture(0, "/lib/x86_64-linux-gnu/libc.so.6", "/bin/ls");
  EXPECT_EQ(said.capture, trace::Capture::full);
  EXPECT_EQ(said.allocator.substr(0, 6), "glibc ");
  EXPECT_EQ(said.reason, "");
}

TEST(CaptureDescription, KnowsOtherAllocatorsByTheirLibrary) {
  EXPECT_EQ(describe_capture(0, "/usr/lib/libjemalloc.so.2", "/bin/ls").allocator, "jemalloc");
  EXPECT_EQ(describe_capture(0, "/usr/lib/libtcmalloc_minimal.so.4", "/bin/ls").allocator, "tcmalloc");
}

TEST(CaptureDescription, SaysThatAProgramWithItsOwnMallocIsOnlySampled) {
  const auto said = describe_capture(static_cast<std::uint32_t>(ProcessFlag::own_malloc), "", "/opt/server");
  EXPECT_EQ(said.capture, trace::Capture::sampler);
  EXPECT_EQ(said.allocator, "own (linked into server)");
  EXPECT_NE(said.reason.find("server brings its own malloc"), std::string::npos);
}

TEST(CaptureDescription, SaysWhatGoesPastTheHooks) {
  const auto said = describe_capture(static_cast<std::uint32_t>(ProcessFlag::bypassed), "", "/bin/ls");
  EXPECT_EQ(said.capture, trace::Capture::full);
  EXPECT_NE(said.reason.find("RTLD_DEEPBIND"), std::string::npos);
}

TEST(CaptureDescription, HasASentenceForEveryReasonNotToRecord) {
  for (const auto note : {format::ExecNote::static_executable, format::ExecNote::other_libc, format::ExecNote::sanitizer,
                          format::ExecNote::privileged, format::ExecNote::other_class, format::ExecNote::no_environment,
                          format::ExecNote::unreadable})
    EXPECT_TRUE(describe_exec_note(note).ends_with('.'));
}

smaps::Mapping mapping(Address begin, Address end, Bytes rss, const char* name) {
  smaps::Mapping made;
  made.begin = begin;
  made.end = end;
  made.rss_bytes = rss;
  made.name = name;
  return made;
}

TEST(OwnPages, AreTheRegionTheProbeAndWhatItMapped) {
  const std::vector<smaps::Mapping> mappings = {mapping(0x1000, 0x9000, 0x3000, "/memfd:memswell"),
                                                mapping(0x10000, 0x12000, 0x1000, "/usr/lib/memswell/libmemswell.so"),
                                                mapping(0x20000, 0x28000, 0x8000, "[heap]"),
                                                mapping(0x30000, 0x32000, 0x2000, "/usr/lib/libunwind.so.8")};
  EXPECT_EQ(own_resident_bytes(mappings, std::vector<trace::OwnRange>{{0x30000, 0x32000}}), 0x6000u);
}

TEST(OwnPages, AreAtMostThePartOfAMappingThatIsOurs) {
  const std::vector<smaps::Mapping> mappings = {mapping(0x10000, 0x20000, 0x10000, "")};
  EXPECT_EQ(own_resident_bytes(mappings, std::vector<trace::OwnRange>{{0x1f000, 0x21000}}), 0x1000u);
}

TEST(OwnPages, LeaveOutRangesThatMakeNoSense) {
  format::ProcessSlot slot{};
  slot.own[0] = {0x2000, 0x1000};
  slot.own[1] = {0x1000, 0x2000};
  slot.own_ranges.store(0xffff);
  EXPECT_EQ(own_ranges_of(slot).size(), 1u);
}

}  // namespace
}  // namespace memswell::capture
