// Compares a report with the file tests/golden/files/NAME. UPDATE_GOLDEN=1 writes the file instead; read the diff then.
#pragma once

#include <string>

namespace memswell {

void expect_golden(const std::string& name, const std::string& report);

}  // namespace memswell
