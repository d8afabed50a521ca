// The pieces of an HTML document. Whatever comes from a recording goes through html_text(): it is text there, never markup,
// an attribute's end, or a control character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memswell::report {

// `text` escaped as in all reports (escape.h), and for HTML: inside of elements and of quoted attributes.
std::string html_text(std::string_view text);

// <name attributes>content</name>; `content` is HTML already, `attributes` ours.
std::string html_element(std::string_view name, std::string_view content, std::string_view attributes = {});

// A table of texts; the first column is words, the others are figures. `last_is_words`: the last column too.
struct HtmlTable {
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;
  bool last_is_words = false;
};
std::string html_table(const HtmlTable& table);

}  // namespace memswell::report
