// What must hold of everything that memswell prints, whatever a recording says.
#pragma once

#include <string>

#include "tests/hostile/whole_report.h"

namespace memswell::hostile {

// The first thing in it that could act on a terminal, a parser or a reader's eyes: one sentence; empty if there is none.
// Text: printable UTF-8 and line feeds. JSON: printable ASCII that parses.
std::string harm_in(const Rendering& rendering);

// For fuzz targets: ends the program if there is harm.
void expect_harmless(const Rendering& rendering);

}  // namespace memswell::hostile
