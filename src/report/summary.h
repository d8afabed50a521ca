// What `memswell run` says when the program has ended: the footprint at the peak and at the end, the largest sites, why.
#pragma once

#include <string>

#include "analysis/model.h"
#include "report/terminal.h"

namespace memswell::report {

std::string summary(const analysis::RunReport& run, const std::string& recording_path, const Terminal& terminal);

// "exit 0", "killed by signal 9 (Killed)", "still running", …
std::string exit_text(const analysis::ExitStatus& exit);

// What the reader of a report must know of how it was made: losses, sampled processes, missing names, an early end.
// One sentence a line, `indent` spaces before each; empty if there is nothing to say.
std::string capture_notes(const analysis::RunReport& run, const Terminal& terminal, std::size_t indent);

}  // namespace memswell::report
