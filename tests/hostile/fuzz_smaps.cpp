// The texts of /proc, whole and cut.
#include "probes/smaps/memory_counters.h"
#include "probes/smaps/smaps_parser.h"
#include "probes/smaps/stat_parser.h"
#include "probes/smaps/status_parser.h"
#include "tests/hostile/target.h"

using namespace memswell;
using namespace memswell::hostile;

namespace {

void expect_sound(const Result<smaps::SmapsText>& parsed) {
  if (!parsed) return expect(!parsed.error().sentence.empty(), "an error is a sentence");
  for (const smaps::Mapping& mapping : parsed->mappings) {
    expect(mapping.begin <= mapping.end, "a mapping has a length");
    expect(mapping.perms.text().size() == 4, "permissions are four letters");
  }
  (void)smaps::total(parsed->mappings);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  expect_sound(smaps::parse_smaps(text));
  expect_sound(smaps::parse_smaps(text.substr(0, size / 2)));
  (void)smaps::parse_maps(text);
  (void)smaps::parse_smaps_rollup(text);
  (void)smaps::parse_status(text);
  (void)smaps::parse_stat(text);
  (void)smaps::parse_statm(text, 4096);
  return 0;
}
