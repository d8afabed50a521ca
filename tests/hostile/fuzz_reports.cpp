// What is made of events that a person forged: analysis, then one command's output, chosen by the first byte. The rest are
// columns laid flat (forge.h).
#include "tests/hostile/forge.h"
#include "tests/hostile/properties.h"
#include "tests/hostile/target.h"
#include "tests/hostile/whole_report.h"

using namespace memswell::hostile;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto run = report_of(sealed(columns_of_flat(text_of(data + 1, size - 1))));
  if (!run) return 0;
  const auto all = renderers();
  std::vector<Rendering> printed;
  all[data[0] % all.size()](*run, printed);
  for (const Rendering& rendering : printed) expect_harmless(rendering);
  return 0;
}
