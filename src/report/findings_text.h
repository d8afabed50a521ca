// Findings and pulses in sentences: the fact, the cause, what to try. The sentences are the analysis's own.
#pragma once

#include <string>
#include <string_view>

#include "analysis/model.h"
#include "report/terminal.h"

namespace memswell::report {

// What follows a remedy and a sentence: " (lowers the peak by about 4.9 MiB)", " [an inference]"; often empty.
std::string effect_text(const analysis::Finding& finding);
std::string_view certainty_text(analysis::Certainty certainty);

// The first `count` findings, numbered; empty if there are none.
std::string findings_text(const analysis::ProcessReport& process, std::size_t count, const Terminal& terminal);

// Every rise and fall of the footprint in order of time; empty if there was none.
std::string pulses_text(const analysis::ProcessReport& process, const Terminal& terminal);

}  // namespace memswell::report
