#include "tests/unit/smaps/fixture.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace memswell::smaps::test {

std::string fixture(std::string_view name) {
  const std::string path = std::string(MEMSWELL_FIXTURES "/proc/") + std::string(name);
  const std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("no fixture " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("not in the text: " + std::string(from));
  return text.replace(at, from.size(), to);
}

}  // namespace memswell::smaps::test
