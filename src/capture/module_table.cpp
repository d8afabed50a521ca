#include "capture/module_table.h"

namespace memswell::capture {

ModuleId ModuleTable::id_of(const std::string& path, const std::vector<std::uint8_t>& build_id) {
  const auto [place, is_new] =
      ids_.try_emplace({path, build_id}, ModuleId{static_cast<std::uint32_t>(ids_.size() + 1)});
  if (is_new) writer_.write(modules_.emplace_back(trace::Module{place->second, path, build_id}));
  return place->second;
}

}  // namespace memswell::capture
