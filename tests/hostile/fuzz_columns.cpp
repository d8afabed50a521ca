// Decompressed columns (forge.h, flat): what the decoder makes of them, then all that is printed.
#include "tests/hostile/forge.h"
#include "tests/hostile/properties.h"
#include "tests/hostile/target.h"
#include "tests/hostile/whole_report.h"

using namespace memswell::hostile;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto run = report_of(sealed(columns_of_flat(text_of(data, size))));
  if (!run) return 0;
  for (const Rendering& rendering : renderings_of(*run)) expect_harmless(rendering);
  return 0;
}
