#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace memswell::log {
namespace {

spdlog::logger& logger() {
  static auto instance = [] {
    auto made = std::make_shared<spdlog::logger>("memswell", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("memswell: %v");
    made->set_level(spdlog::level::info);
    return made;
  }();
  return *instance;
}

// Sentences quote names of files and programs, which may hold anything: control characters come out as \x1b, the two
// bytes of C1 controls as well.
std::string harmless(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    const auto next = static_cast<unsigned char>(i + 1 < line.size() ? line[i + 1] : ' ');
    const bool c1 = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f || c1) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += line[i];
    }
  }
  return out;
}

}  // namespace

void set_level(Level level) {
  switch (level) {
    case Level::quiet: logger().set_level(spdlog::level::err); return;
    case Level::normal: logger().set_level(spdlog::level::info); return;
    case Level::verbose: logger().set_level(spdlog::level::debug); return;
  }
}

void note(std::string_view line) { logger().info("{}", harmless(line)); }
void warning(std::string_view line) { logger().warn("{}", harmless(line)); }
void error(std::string_view line) { logger().error("{}", harmless(line)); }
void detail(std::string_view line) { logger().debug("{}", harmless(line)); }

}  // namespace memswell::log
