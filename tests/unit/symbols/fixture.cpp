#include "fixture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/unique_fd.h"

namespace memswell::symbols {

std::string fixture_path(const std::string& name) { return std::string(SYMBOLS_FIXTURES) + "/" + name; }

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::map<std::string, Address> told_by(const std::string& name) {
  std::map<std::string, Address> told;
  FILE* output = popen(fixture_path(name).c_str(), "r");
  EXPECT_NE(output, nullptr);
  char line[256];
  while (std::fgets(line, sizeof line, output)) {
    std::istringstream words(line);
    std::string what;
    Address address = 0;
    words >> what >> std::hex >> address;
    told[what] = address;
  }
  EXPECT_EQ(pclose(output), 0) << name;
  EXPECT_FALSE(told.empty()) << name;
  return told;
}

std::uint32_t line_of(const std::string& file, const std::string& text) {
  std::ifstream in(std::string(SYMBOLS_FIXTURE_SOURCES) + "/" + file);
  std::string line;
  for (std::uint32_t number = 1; std::getline(in, line); ++number) {
    if (line.find(text) != std::string::npos) return number;
  }
  ADD_FAILURE() << text << " is not in " << file;
  return 0;
}

trace::Module module_at(const std::string& path, std::uint32_t id) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return {ModuleId{id}, path, read_build_id(fd.get())};
}

SymbolizerOptions bare_options() {
  SymbolizerOptions options;
  options.search.directories.clear();
  options.cache_directory.clear();
  return options;
}

Named name_of(const std::string& path, Address address, trace::FrameKind kind, SymbolizerOptions options) {
  Symbolizer symbolizer(std::move(options));
  symbolizer.add(module_at(path));
  const trace::Frame frame{ModuleId{1}, kind, address};
  auto names = symbolizer.symbolize({&frame, 1});
  return {names.frames.at(0).levels, names.modules.at(0)};
}

std::string as_text(const std::vector<trace::SourceFrame>& levels) {
  std::string text;
  for (const auto& level : levels) {
    if (!text.empty()) text += " < ";
    text += level.function;
    if (!level.file.empty()) {
      text += fmt::format("|{}:{}", std::filesystem::path(level.file).filename().string(), level.line);
    }
  }
  return text;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "memswell-symbols-XXXXXX").string();
  path_ = mkdtemp(name.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace memswell::symbols
