// Everything that memswell can print of a recording, made in this process, so that fuzzers and tests see all of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model.h"
#include "base/result.h"

namespace memswell::hostile {

// No symbol is looked up: the recording's own names are.
Result<analysis::RunReport> report_of(std::string_view recording);

enum class Rendered { text, json, binary };

struct Rendering {
  std::string name;  // "report", "export folded", …
  Rendered kind = Rendered::text;
  std::string content;
};

// Appends what some commands print.
using Renderer = void (*)(const analysis::RunReport& run, std::vector<Rendering>& out);
std::span<const Renderer> renderers();

// All of them: each command and export format with the options that print most.
std::vector<Rendering> renderings_of(const analysis::RunReport& run);

}  // namespace memswell::hostile
