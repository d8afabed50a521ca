// A report made by hand, the same in every golden test: a program of two phases that allocates at four places, one of
// them with a name that tries to speak to the terminal, and a child that could only be sampled.
#pragma once

#include "analysis/model.h"

namespace memswell {

analysis::RunReport sample_run();

// The same program after a fix: no intern table, less rounding. For comparisons.
analysis::RunReport improved_run();

}  // namespace memswell
