// The small programs of fixtures.cmake as the tests see them: run one, and it tells addresses whose names are known.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/symbolizer.h"

namespace memswell::symbols {

std::string fixture_path(const std::string& name);
std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view bytes);

// Runs the fixture: what it tells, by name.
std::map<std::string, Address> told_by(const std::string& name);

// The line of tests/fixtures/symbols/FILE that holds `text`, from 1.
std::uint32_t line_of(const std::string& file, const std::string& text);

trace::Module module_at(const std::string& path, std::uint32_t id = 1);

// No cache and no debug directories of the machine's: names come from the fixture alone.
SymbolizerOptions bare_options();

struct Named {
  std::vector<trace::SourceFrame> levels;
  trace::ModuleSymbols module;
};
Named name_of(const std::string& path, Address address, trace::FrameKind kind = trace::FrameKind::call,
              SymbolizerOptions options = bare_options());

// "function|file:line" of each level, with the file's last component only, joined by " < ": innermost first.
std::string as_text(const std::vector<trace::SourceFrame>& levels);

// A folder of its own for one test, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace memswell::symbols
