// append-single: one string grows by 1,024,000 characters a row, and a row of figures is printed for each. Whatever the
// growth policy, resident memory follows the length: the spare tail was never written, so it has no page frame. What
// it costs is address space (virtual_bytes), and only the number of reallocs tells the policies apart.
//
// policy=exact|plus25|pow2   rows=20
#include "common.h"
#include "common/growing_string.h"

using namespace workload;

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::uint64_t rows = options.number("rows", 20, 1, kMostPasses);
  const Growth growth = growth_named(options.word("policy", "exact plus25 pow2"));
  options.done();

  GlibcStrings strings{growth};
  GrowingString string;
  phase("base");
  for (std::uint64_t row = 1; row <= rows; ++row) {
    phase("row", row);
    for (int i = 0; i < 1'024'000; ++i) strings.append(string, "#", 1);
    memswell_mark_value("string_bytes", static_cast<long long>(string.length));
    memswell_used(string.bytes, string.length + 1);
    const PageCount tail = count_whole_pages(string.bytes + string.length + 1, string.capacity - string.length - 1);
    fact("string_bytes", string.length);
    fact("capacity_bytes", string.capacity);
    fact("tail_pages", tail.pages);
    fact("tail_resident_pages", tail.resident());
    fact("reallocs", strings.reallocs);
    fact("remapped", strings.remapped);
    fact("copied_bytes", strings.copied_bytes);
  }
  phase("free");
  xfree(string.bytes, string.capacity);
  return finish(argc, argv);
}
