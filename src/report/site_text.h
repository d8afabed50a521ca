// How a place in a program is named: "parse_object (json.c:120)", "libz.so.1.2.13+0x4a10" where symbols are missing.
#pragma once

#include <string>
#include <string_view>

#include "analysis/call_tree.h"
#include "analysis/model.h"

namespace memswell::report {

struct Place {
  std::string_view function;
  std::string_view file;
  std::uint32_t line = 0;
  std::string_view module;
  std::uint64_t offset = 0;
};

std::string place_text(const Place& place);
std::string site_text(const analysis::Site& site);
std::string node_text(const analysis::CallNode& node);
// Level `level` of a frame, 0 being the innermost.
std::string frame_text(const analysis::NamedFrame& frame, std::size_t level);
// The function alone, or module+offset: for flame graphs.
std::string frame_name(const analysis::NamedFrame& frame, std::size_t level);

// A command as a person would type it, escaped, at most `width` columns.
std::string command_text(const std::vector<std::string>& command, std::size_t width = 60);

std::string_view base_name(std::string_view path);

}  // namespace memswell::report
