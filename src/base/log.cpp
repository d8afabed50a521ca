#include "base/log.h"

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

}  // namespace

void set_level(Level level) {
  switch (level) {
    case Level::quiet: logger().set_level(spdlog::level::err); return;
    case Level::normal: logger().set_level(spdlog::level::info); return;
    case Level::verbose: logger().set_level(spdlog::level::debug); return;
  }
}

void note(std::string_view line) { logger().info("{}", line); }
void warning(std::string_view line) { logger().warn("{}", line); }
void error(std::string_view line) { logger().error("{}", line); }
void detail(std::string_view line) { logger().debug("{}", line); }

}  // namespace memswell::log
