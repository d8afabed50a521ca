#include "tests/hostile/properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/escape.h"
#include "tests/hostile/target.h"

namespace memswell::hostile {
namespace {

std::string harm_in_json(const std::string& text) {
  for (const char c : text)
    if (c != '\n' && (c < ' ' || c > '~')) return fmt::format("byte {:#x}, not printable ASCII", c & 0xff);
  return nlohmann::json::accept(text) ? "" : "no JSON";
}

// escaped() leaves harmless text as it is; a line feed is the report's own.
std::string harm_in_text(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (report::escaped(line) != line) return "a character that acts, in: " + report::escaped(line);
    begin = end + 1;
  }
  return {};
}

}  // namespace

std::string harm_in(const Rendering& rendering) {
  switch (rendering.kind) {
    case Rendered::text: return harm_in_text(rendering.content);
    case Rendered::json: return harm_in_json(rendering.content);
    case Rendered::binary: return {};
  }
  return {};
}

void expect_harmless(const Rendering& rendering) {
  const std::string harm = harm_in(rendering);
  expect(harm.empty(), (rendering.name + ": " + harm).c_str());
}

}  // namespace memswell::hostile
