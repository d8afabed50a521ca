#include "analysis/words.h"

#include <fmt/format.h>

#include "base/units.h"

namespace memswell::analysis {

std::string base_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string site_words(const Site& site) {
  const std::string module = base_name(site.module);
  if (site.function.empty()) {
    return module.empty() ? "code outside of any module" : fmt::format("{}+{:#x}", module, site.offset);
  }
  if (!site.file.empty()) return fmt::format("{} ({}:{})", site.function, base_name(site.file), site.line);
  return module.empty() ? site.function : fmt::format("{} ({})", site.function, module);
}

std::string phase_at(const ProcessReport& process, Nanoseconds time) {
  for (const Phase& phase : process.phases) {
    if (time >= phase.begin_ns && time < phase.end_ns) return phase.name;
  }
  return process.phases.empty() ? std::string() : process.phases.back().name;
}

std::string moment_words(const ProcessReport& process, const std::string& phase, Nanoseconds time) {
  if (process.phases.size() > 1 && !phase.empty()) return fmt::format("in phase \"{}\"", phase);
  return fmt::format("at {}", format_duration(time));
}

}  // namespace memswell::analysis
