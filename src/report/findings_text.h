// Findings and pulses in sentences: the fact, the cause, what to try. The sentences are the analysis's own.
#pragma once

#include <string>

#include "analysis/model.h"
#include "report/terminal.h"

namespace memswell::report {

// The first `count` findings, numbered; empty if there are none.
std::string findings_text(const analysis::ProcessReport& process, std::size_t count, const Terminal& terminal);

// Every rise and fall of the footprint in order of time; empty if there was none.
std::string pulses_text(const analysis::ProcessReport& process, const Terminal& terminal);

}  // namespace memswell::report
