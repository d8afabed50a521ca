#include "analysis/zones.h"

#include <algorithm>
#include <array>

#include "analysis/readings.h"

namespace memswell::analysis {
namespace {

using Mappings = std::vector<smaps::Mapping>;

bool is_shared_memory(const smaps::Mapping& mapping) {
  static constexpr std::array<std::string_view, 5> kNames{"/dev/zero", "/memfd:", "/dev/shm/", "/SYSV",
                                                          "/anon_hugepage"};
  const auto named = [&](std::string_view prefix) { return mapping.name.starts_with(prefix); };
  return mapping.perms.shared && std::any_of(kNames.begin(), kNames.end(), named);
}

// bss: anonymous memory right behind a writable file mapping of the same module.
std::string bss_of(const Mappings& mappings, std::size_t index) {
  if (index == 0 || !is_plain_anonymous(mappings[index])) return {};
  const smaps::Mapping& before = mappings[index - 1];
  const bool behind_file =
      before.end == mappings[index].begin && before.name.starts_with("/") && before.perms.write && !before.perms.shared;
  return behind_file ? before.name + " (bss)" : std::string();
}

// A thread's stack: writable, a guard without access right below, its last page in use.
bool is_thread_stack(const Mappings& mappings, std::size_t index, bool top_resident) {
  const smaps::Mapping& mapping = mappings[index];
  if (mapping.name.starts_with("[anon: glibc: pthread stack")) return true;
  if (index == 0 || !is_plain_anonymous(mapping) || !top_resident) return false;
  const smaps::Mapping& below = mappings[index - 1];
  const bool no_access = !below.perms.read && !below.perms.write && !below.perms.execute;
  return no_access && below.end == mapping.begin && below.name.empty();
}

Zone zone_of_mapping(const Mappings& mappings, std::size_t index, bool top_resident) {
  const smaps::Mapping& mapping = mappings[index];
  Zone zone;
  zone.mapping = index;
  if (mapping.name.starts_with("[stack")) {
    zone.owner = Owner::stacks;
  } else if (mapping.name == "[heap]" || mapping.name.starts_with("[anon:")) {
    zone.owner = is_thread_stack(mappings, index, top_resident) ? Owner::stacks : Owner::unknown;
  } else if (mapping.name.starts_with("[")) {
    zone.owner = Owner::kernel;
  } else if (is_shared_memory(mapping)) {
    zone.owner = Owner::shared;
  } else if (mapping.name.starts_with("/")) {
    zone.owner = Owner::files;
    zone.file = mapping.name;
  } else if (std::string bss = bss_of(mappings, index); !bss.empty()) {
    zone.owner = Owner::files;
    zone.file = std::move(bss);
  } else if (is_thread_stack(mappings, index, top_resident)) {
    zone.owner = Owner::stacks;
  }
  return zone;
}

// Everything that can begin or end a zone inside [begin, end).
std::vector<Address> edges_in(const AddressSpace& space, Address begin, Address end) {
  std::vector<Address> edges{begin, end};
  const auto add = [&](Address address) {
    if (address > begin && address < end) edges.push_back(address);
  };
  for (const trace::OwnRange& range : space.own) {
    add(range.begin);
    add(range.end);
  }
  for (const HeapExtent& heap : space.heaps) {
    add(heap.begin);
    add(heap.end);
  }
  auto at = space.mapped->upper_bound(begin);
  if (at != space.mapped->begin()) --at;
  for (; at != space.mapped->end() && at->first < end; ++at) {
    add(at->first);
    add(at->second.end);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

const MappedRange* mapped_at(const AddressSpace& space, Address address) {
  const auto after = space.mapped->upper_bound(address);
  if (after == space.mapped->begin()) return nullptr;
  const MappedRange& range = std::prev(after)->second;
  return address < range.end ? &range : nullptr;
}

// Own before heap before mapped before what the mapping is.
Zone zone_at(const AddressSpace& space, const Zone& of_mapping, Address begin, Address end) {
  Zone zone = of_mapping;
  zone.begin = begin;
  zone.end = end;
  if (own_overlap(begin, end, space.own) > 0) {
    zone.kind = Zone::Kind::own;
    return zone;
  }
  for (std::size_t i = 0; i < space.heaps.size(); ++i) {
    if (begin < space.heaps[i].begin || begin >= space.heaps[i].end) continue;
    zone.kind = Zone::Kind::heap;
    zone.heap = i;
    return zone;
  }
  const MappedRange* mapped = mapped_at(space, begin);
  if (mapped == nullptr || mapped->file_backed) return zone;
  // A guess from the neighbourhood (bss, a stack) gives way to what the program did.
  const smaps::Mapping& mapping = (*space.mappings)[of_mapping.mapping];
  const bool anonymous = !mapping.perms.shared && (mapping.name.empty() || mapping.name.starts_with("[anon:"));
  const bool free_to_take = mapped->by_break || anonymous;
  if (free_to_take) zone.owner = Owner::mapped;
  if (zone.owner == Owner::mapped || zone.owner == Owner::shared) zone.stack = mapped->stack;
  return zone;
}

}  // namespace

bool in_rss(const smaps::Mapping& mapping) {
  return mapping.is_user_space() && !mapping.is_hugetlb() && !mapping.is_raw_memory();
}

std::vector<Zone> cut_zones(const AddressSpace& space, const std::vector<bool>& top_resident) {
  std::vector<Zone> zones;
  const Mappings& mappings = *space.mappings;
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    if (!in_rss(mappings[i])) continue;
    Zone of_mapping = zone_of_mapping(mappings, i, top_resident[i]);
    if (is_own(mappings[i], space.own)) of_mapping.kind = Zone::Kind::own;
    const std::vector<Address> edges = edges_in(space, mappings[i].begin, mappings[i].end);
    for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
      zones.push_back(of_mapping.kind == Zone::Kind::own ? of_mapping
                                                         : zone_at(space, of_mapping, edges[e], edges[e + 1]));
      zones.back().begin = edges[e];
      zones.back().end = edges[e + 1];
    }
  }
  return zones;
}

}  // namespace memswell::analysis
