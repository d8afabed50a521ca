#include "probes/smaps/stat_parser.h"

#include <array>
#include <limits>
#include <optional>

#include "probes/smaps/text_cursor.h"

namespace memswell::smaps {
namespace {

template <class Number>
bool take_field(std::string_view& text, Number& out) {
  const auto number = take_number<Number>(text);
  // The blank behind a number is the proof that no digit is missing.
  if (!number || !take_char(text, ' ')) return false;
  out = *number;
  return true;
}

bool skip_fields(std::string_view& text, int count) {
  for (; count > 0; --count) {
    const auto blank = text.find(' ');
    if (blank == std::string_view::npos) return false;
    text.remove_prefix(blank + 1);
  }
  return true;
}

}  // namespace

Result<Statm> parse_statm(std::string_view text, Bytes page_bytes) {
  const Error unreadable{"/proc/PID/statm is cut off or not seven numbers: \"" + std::string(text.substr(0, 80)) +
                         "\""};
  std::array<std::uint64_t, 6> pages{};
  for (auto& count : pages) {
    if (!take_field(text, count) || count > std::numeric_limits<Bytes>::max() / page_bytes) return unreadable;
  }
  // The seventh, "dt", is always 0 since Linux 2.6: it cannot have lost a digit.
  if (!take_number<std::uint64_t>(text)) return unreadable;
  for (auto& count : pages) count *= page_bytes;
  return Statm{pages[0], pages[1], pages[2], pages[3], pages[5]};
}

Result<Stat> parse_stat(std::string_view text) {
  const Error unreadable{"/proc/PID/stat is cut off or not understood: \"" + std::string(text.substr(0, 80)) + "\""};
  Stat stat;
  if (!take_field(text, stat.pid) || !take_char(text, '(')) return unreadable;
  // The name ends at the last parenthesis: it may hold any other.
  const auto close = text.rfind(')');
  if (close == std::string_view::npos) return unreadable;
  stat.comm = text.substr(0, close);
  text.remove_prefix(close + 1);
  if (!take_char(text, ' ') || text.empty()) return unreadable;
  stat.state = text.front();
  text.remove_prefix(1);
  const bool understood = take_char(text, ' ') && take_field(text, stat.ppid) && skip_fields(text, 5) &&
                          take_field(text, stat.minor_faults) && skip_fields(text, 1) &&
                          take_field(text, stat.major_faults) && skip_fields(text, 1) &&
                          take_field(text, stat.user_ticks) && take_field(text, stat.system_ticks) &&
                          skip_fields(text, 4) && take_field(text, stat.threads) && skip_fields(text, 1) &&
                          take_field(text, stat.start_time_ticks);
  if (!understood) return unreadable;
  return stat;
}

}  // namespace memswell::smaps
