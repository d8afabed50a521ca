#include "report/site_text.h"

#include <fmt/format.h>

#include "report/escape.h"
#include "report/terminal.h"

namespace memswell::report {
namespace {

// Marks of why a stack ends carry no address (trace::FrameKind).
std::string_view end_mark(trace::FrameKind kind) {
  switch (kind) {
    case trace::FrameKind::depth_limit: return "[deeper frames cut: --max-depth]";
    case trace::FrameKind::unreadable: return "[stack could not be read further]";
    case trace::FrameKind::no_unwind_data: return "[no unwind data further out]";
    case trace::FrameKind::earlier:  // has a name
    case trace::FrameKind::call:
    case trace::FrameKind::exact: return {};
  }
  return {};
}

std::string unnamed(std::string_view module, std::uint64_t offset) {
  if (module.empty()) return fmt::format("[code outside of modules] {:#x}", offset);
  return fmt::format("{}+{:#x}", escaped(base_name(module)), offset);
}

Place place_of(const analysis::NamedFrame& frame, std::size_t level) {
  const trace::SourceFrame& source = frame.levels[level];
  return {source.function, source.file, source.line, frame.module, frame.frame.offset};
}

std::string plain_quoted(const std::string& word) {
  const bool quote = word.empty() || word.find_first_of(" \t\n\"'$&|;<>*?()") != std::string::npos;
  return quote ? fmt::format("'{}'", escaped(word)) : escaped(word);
}

}  // namespace

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

std::string place_text(const Place& place) {
  if (place.function.empty()) return unnamed(place.module, place.offset);
  if (!place.file.empty() && place.line != 0)
    return fmt::format("{} ({}:{})", escaped(place.function), escaped(base_name(place.file)), place.line);
  if (!place.module.empty()) return fmt::format("{} ({})", escaped(place.function), escaped(base_name(place.module)));
  return escaped(place.function);
}

std::string site_text(const analysis::Site& site) {
  return place_text({site.function, site.file, site.line, site.module, site.offset});
}

std::string node_text(const analysis::CallNode& node) {
  return place_text({node.function, node.file, node.line, node.module, node.offset}) +
         (node.inlined ? " [inlined]" : "");
}

std::string frame_text(const analysis::NamedFrame& frame, std::size_t level) {
  if (const std::string_view mark = end_mark(frame.frame.kind); !mark.empty()) return std::string(mark);
  const bool inlined = level + 1 < frame.levels.size();
  return place_text(place_of(frame, level)) + (inlined ? " [inlined]" : "");
}

std::string frame_name(const analysis::NamedFrame& frame, std::size_t level) {
  if (const std::string_view mark = end_mark(frame.frame.kind); !mark.empty()) return std::string(mark);
  const Place place = place_of(frame, level);
  return place.function.empty() ? unnamed(place.module, place.offset) : escaped(place.function);
}

std::string command_text(const std::vector<std::string>& command, std::size_t width) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + plain_quoted(word);
  return shortened(text, width);
}

}  // namespace memswell::report
