// Whatever a program calls itself: escaping for terminals, JSON, CSV; names of functions; lines that begin phases.
#include "capture/phase_lines.h"
#include "report/csv.h"
#include "report/escape.h"
#include "report/json_writer.h"
#include "report/terminal.h"
#include "symbols/demangle.h"
#include "symbols/plumbing.h"
#include "tests/hostile/properties.h"
#include "tests/hostile/target.h"

using namespace memswell;
using namespace memswell::hostile;

namespace {

std::string as_json(std::string_view text) {
  report::JsonWriter json;
  json.begin_object();
  json.text("text", text);
  json.end_object();
  return json.take();
}

void expect_lines_are_found_in_any_pieces(std::string_view text) {
  static const auto pattern = capture::compile_phase_pattern("^== (.*)");
  capture::PhaseLines whole(*pattern);
  capture::PhaseLines halves(*pattern);
  const auto names = whole.take(text);
  auto pieces = halves.take(text.substr(0, text.size() / 2));
  const auto rest = halves.take(text.substr(text.size() / 2));
  pieces.insert(pieces.end(), rest.begin(), rest.end());
  expect(names == pieces, "lines are the same in any pieces");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  const std::string safe = report::escaped(text);
  expect_harmless({"escaped", Rendered::text, safe});
  expect(report::escaped(safe) == safe, "what is escaped stays as it is");
  expect(report::display_width(report::shortened(safe, 20)) <= 20, "what is shortened fits");
  expect_harmless({"wrapped", Rendered::text, report::wrapped(safe, 40, 4)});
  expect_harmless({"json", Rendered::json, as_json(text)});
  expect_harmless({"csv", Rendered::text, report::csv_line({report::csv_text(text), "1"})});
  const std::string name(text);
  expect_harmless({"demangled", Rendered::text, report::escaped(symbols::demangle(name.c_str()))});
  static const auto plumbing = symbols::Plumbing::with_skips({});
  (void)plumbing->kind(text, "/lib/libc.so.6");
  expect_lines_are_found_in_any_pieces(text);
  return 0;
}
