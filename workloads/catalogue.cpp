#include "workloads/catalogue.h"

#include <algorithm>
#include <array>

namespace memswell::workloads {

std::span<const Workload> catalogue() {
  static const std::array all{kCallocLazy, kCallocTrap,   kCallocBench,      kBufferTail,   kFreelistPulse,
                              kAppend,     kAppendSingle, kFragPin,          kVectorGrowth, kFastbinRetention,
                              kThreadArenas, kForkCow,    kMmapFile,         kStack,        kMadvFree};
  return all;
}

const Workload* find_workload(std::string_view name) {
  const auto all = catalogue();
  const auto found = std::ranges::find(all, name, &Workload::name);
  return found != all.end() ? &*found : nullptr;
}

const Variant* find_variant(const Workload& workload, std::string_view name) {
  const auto found = std::ranges::find(workload.variants, name, &Variant::name);
  return found != workload.variants.end() ? &*found : nullptr;
}

}  // namespace memswell::workloads
