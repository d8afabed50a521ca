#include "probes/smaps/status_parser.h"

#include <algorithm>
#include <iterator>

#include "probes/smaps/text_cursor.h"

namespace memswell::smaps {
namespace {

using M = StatusMemory;

struct MemoryRow {
  std::string_view key;
  Bytes StatusMemory::*member;
};

constexpr MemoryRow kMemoryRows[] = {
    {"VmPeak", &M::peak_size_bytes},      {"VmSize", &M::size_bytes},        {"VmLck", &M::locked_bytes},
    {"VmHWM", &M::high_water_mark_bytes}, {"VmRSS", &M::rss_bytes},          {"RssAnon", &M::rss_anon_bytes},
    {"RssFile", &M::rss_file_bytes},      {"RssShmem", &M::rss_shmem_bytes}, {"VmData", &M::data_bytes},
    {"VmStk", &M::stack_bytes},           {"VmExe", &M::executable_bytes},   {"VmLib", &M::library_bytes},
    {"VmPTE", &M::page_table_bytes},      {"VmSwap", &M::swap_bytes},        {"HugetlbPages", &M::hugetlb_bytes},
};

// Printed last by every kernel: what comes before it was not cut.
constexpr std::string_view kLastKey = "nonvoluntary_ctxt_switches";

template <class Number>
bool parse_list(std::string_view value, std::vector<Number>& out) {
  out.clear();
  for (skip_blanks(value); !value.empty(); skip_blanks(value)) {
    const auto number = take_number<Number>(value);
    if (!number) return false;
    out.push_back(*number);
  }
  return true;
}

template <class Number>
bool parse_one(std::string_view value, Number& out) {
  skip_blanks(value);
  const auto number = take_number<Number>(value);
  if (!number || !value.empty()) return false;
  out = *number;
  return true;
}

// The kernel writes \n for a newline and \\ for a backslash in a command name.
std::string unescape_name(std::string_view value) {
  take_char(value, '\t');
  std::string name;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool escaped = value[i] == '\\' && i + 1 < value.size() && (value[i + 1] == 'n' || value[i + 1] == '\\');
    if (escaped) ++i;
    name += escaped && value[i] == 'n' ? '\n' : value[i];
  }
  return name;
}

using Apply = bool (*)(Status&, std::string_view value);

struct PlainRow {
  std::string_view key;
  Apply apply;
};

constexpr PlainRow kPlainRows[] = {
    {"Name", [](Status& s, std::string_view v) { return s.name = unescape_name(v), true; }},
    {"State",
     [](Status& s, std::string_view v) {
       skip_blanks(v);
       if (v.empty()) return false;
       s.state = v.front();
       return true;
     }},
    {"Tgid", [](Status& s, std::string_view v) { return parse_one(v, s.tgid); }},
    {"Pid", [](Status& s, std::string_view v) { return parse_one(v, s.pid); }},
    {"PPid", [](Status& s, std::string_view v) { return parse_one(v, s.ppid); }},
    {"TracerPid", [](Status& s, std::string_view v) { return parse_one(v, s.tracer_pid); }},
    {"Uid", [](Status& s, std::string_view v) { return parse_list(v, s.uids); }},
    {"Gid", [](Status& s, std::string_view v) { return parse_list(v, s.gids); }},
    {"NSpid", [](Status& s, std::string_view v) { return parse_list(v, s.ns_pids); }},
    {"Threads", [](Status& s, std::string_view v) { return parse_one(v, s.threads); }},
};

bool apply_line(Status& status, const KeyedLine& line) {
  const auto plain = std::ranges::find(kPlainRows, line.key, &PlainRow::key);
  if (plain != std::end(kPlainRows)) return plain->apply(status, line.value);
  const auto memory = std::ranges::find(kMemoryRows, line.key, &MemoryRow::key);
  if (memory == std::end(kMemoryRows)) return true;
  const auto bytes = parse_kilobytes(line.value);
  if (!bytes) return false;
  status.memory.*memory->member = *bytes;
  status.has_memory = true;
  return true;
}

}  // namespace

Result<Status> parse_status(std::string_view text) {
  Status status;
  while (const auto line = take_line(text)) {
    const auto field = split_key(line->text);
    if (!line->whole) {
      // Without its newline only a size can be known to be whole, by its unit.
      if (field && parse_kilobytes(field->value)) apply_line(status, *field);
      break;
    }
    if (!field || !apply_line(status, *field)) {
      return Error{"/proc/PID/status has a line that is not understood: \"" + std::string(line->text.substr(0, 80)) +
                   "\""};
    }
    if (field->key == kLastKey) status.complete = true;
  }
  return status;
}

}  // namespace memswell::smaps
