// The parts of `report --json` that belong to one process.
#pragma once

#include "analysis/model.h"
#include "report/json_writer.h"

namespace memswell::report {

void write_exit(JsonWriter& json, const analysis::ExitStatus& exit);
void write_process(JsonWriter& json, const analysis::ProcessReport& process);

}  // namespace memswell::report
