#include "workloads/catalogue.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "workloads/native_run.h"

namespace memswell::workloads {
namespace {

TEST(Catalogue, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Workload& workload : catalogue()) {
    EXPECT_TRUE(names.insert(workload.name).second) << workload.name;
    std::set<std::string_view> variants;
    for (const Variant& variant : workload.variants) EXPECT_TRUE(variants.insert(variant.name).second) << variant.name;
  }
}

TEST(Catalogue, EveryWorkloadIsAProgram) {
  for (const Workload& workload : catalogue()) {
    const std::string path = std::string(MEMSWELL_WORKLOADS) + "/" + std::string(workload.name);
    EXPECT_EQ(::access(path.c_str(), X_OK), 0) << path;
  }
}

TEST(Catalogue, TheReferenceIsAStandardVariant) {
  for (const Workload& workload : catalogue()) {
    const Variant* reference = find_variant(workload, workload.reference);
    ASSERT_NE(reference, nullptr) << workload.name;
    EXPECT_TRUE(reference->standard) << workload.name;
  }
}

TEST(Catalogue, FindsByName) {
  ASSERT_NE(find_workload("append"), nullptr);
  EXPECT_EQ(find_workload("append")->name, "append");
  EXPECT_EQ(find_workload("appendix"), nullptr);
  EXPECT_EQ(find_variant(*find_workload("append"), "glibc-exact"), nullptr);
}

TEST(Catalogue, ProgramsRefuseUnknownOptions) {
  for (const Workload& workload : catalogue()) {
    const std::string path = std::string(MEMSWELL_WORKLOADS) + "/" + std::string(workload.name);
    EXPECT_FALSE(output_of({"/bin/sh", "-c", "exec " + path + " no_such=1 2>/dev/null"})) << workload.name;
  }
}

}  // namespace
}  // namespace memswell::workloads
