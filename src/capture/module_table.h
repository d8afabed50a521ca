// Modules of all processes of a recording, each written to it once: the same path with the same build-id is one module.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trace/events.h"
#include "trace/recording_writer.h"

namespace memswell::capture {

class ModuleTable {
 public:
  explicit ModuleTable(trace::RecordingWriter& writer) : writer_(writer) {}

  ModuleId id_of(const std::string& path, const std::vector<std::uint8_t>& build_id);
  const std::vector<trace::Module>& modules() const { return modules_; }

 private:
  trace::RecordingWriter& writer_;
  std::map<std::pair<std::string, std::vector<std::uint8_t>>, ModuleId> ids_;
  std::vector<trace::Module> modules_;
};

}  // namespace memswell::capture
