// Pulses and findings as JSON.
#pragma once

#include "analysis/model.h"
#include "report/json_writer.h"

namespace memswell::report {

void write_pulse(JsonWriter& json, const analysis::Pulse& pulse);
void write_finding(JsonWriter& json, const analysis::Finding& finding, const analysis::ProcessReport& process);

}  // namespace memswell::report
