#include "golden/golden_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace memswell {

void expect_golden(const std::string& name, const std::string& report) {
  const std::string path = std::string(MEMSWELL_GOLDEN) + "/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream file(path, std::ios::binary);
    file << report;
    ASSERT_TRUE(file.flush()) << path << " cannot be written";
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; UPDATE_GOLDEN=1 writes it";
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(report, expected.str()) << "differs from " << path;
}

}  // namespace memswell
