#include "probes/smaps/abilities.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/ids.h"
#include "probes/smaps/ability_trials.h"
#include "probes/smaps/cgroup_memory.h"
#include "probes/smaps/high_water_mark.h"
#include "probes/smaps/page_map.h"
#include "probes/smaps/pagemap_file.h"
#include "probes/smaps/process_tree.h"
#include "probes/smaps/settings.h"

namespace memswell::smaps {
namespace {

struct Found {
  AbilityState state;
  std::string found;
  std::string consequence;
};

constexpr auto kInformation = AbilityState::information;

Found available(std::string consequence) { return {AbilityState::available, "works", std::move(consequence)}; }
Found missing(std::string found, std::string consequence) {
  return {AbilityState::missing, std::move(found), std::move(consequence)};
}

std::string mebibytes(Bytes bytes) {
  const auto tenths = (bytes * 10 + (1 << 19)) >> 20;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

std::string kernel_release() {
  utsname names{};
  ::uname(&names);
  return std::string("Linux ") + names.release;
}

Found page_scan() {
  if (page_source() == PageSource::pagemap_scan) {
    return available("every page's residency, zero pages and huge pages told apart, in 1.5 ms per GB");
  }
  return missing(
      page_scan_available() ? "switched off by MEMSWELL_NO_PAGEMAP_SCAN"
                            : kernel_release() + " does not know it (it came with 6.7)",
      "reads pagemap instead, in 10 to 17 ms per GB; where zero pages and pages shared by fork are mixed in one "
      "mapping they cannot be told apart, and the ledger says how many bytes that concerns");
}

Found pagemap() {
  if (try_pagemap()) return available("tells pages that only this process has from those shared by fork");
  return missing("/proc/PID/pagemap cannot be read",
                 "without page states there is no page ledger: only the totals of smaps by mapping");
}

Found peak_reset() {
  if (high_water_mark_resets_work()) return available("the kernel's own peak of every phase, however short it was");
  return missing(
      "writing 5 to clear_refs has no effect or is not allowed",
      "the peak of the whole run is still the kernel's; peaks of phases are the largest sample, a lower bound");
}

Found peak_bound() {
  const auto cpus = static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN));
  const auto bound = own_high_water_mark_bound(1);
  return {kInformation, "exact to " + mebibytes(bound) + " on " + std::to_string(cpus) + " CPUs",
          "the kernel batches its counters; the bound stands beside each peak"};
}

Found soft_dirty() {
  if (try_soft_dirty()) return {kInformation, "works", "not used: userfaultfd does the same without touching others"};
  return {kInformation, "not compiled in", "not used"};
}

Found write_tracking() {
  const auto error = why_no_async_write_protection();
  if (write_tracking_available())
    return available("with run --idle: which live blocks a phase has not written, for 1.4 µs a page first written");
  if (!error) return {kInformation, "works, but is no use without PAGEMAP_SCAN", "run --idle has no effect"};
  const bool old = *error == EINVAL || *error == ENOSYS;
  return {kInformation, old ? "this kernel lacks asynchronous write protection (it came with 6.7)" : std::strerror(*error),
          "run --idle has no effect; everything else is as exact as ever"};
}

}  // namespace

bool write_tracking_available() {
  return !is_switched_on("MEMSWELL_NO_USERFAULTFD") && page_scan_available() && !why_no_async_write_protection();
}

namespace {

Found zero_page() {
  if (reads_map_the_zero_page()) {
    return available("untouched memory that is only read costs nothing, and is shown beside RSS");
  }
  return {kInformation, "this kernel gives memory that was only read pages of its own",
          "calloc'ed memory counts as resident once it is read: figures differ from those of ordinary machines"};
}

Found rollup() {
  if (::access("/proc/self/smaps_rollup", R_OK) == 0) return available("private dirty and PSS in one short reading");
  return missing("it came with Linux 4.14", "smaps is added up instead, at more cost: thorough samples are rarer");
}

Found children() {
  if (children_source() == ChildrenFrom::children_files) return available("finds processes that cannot be preloaded");
  return missing("no /proc/PID/task/TID/children", "all of /proc is searched for children instead, exact but slower");
}

Found memfd() {
  if (try_memfd()) return available("holds what the program reports, and survives its death");
  return missing(std::strerror(errno), "calls cannot be recorded: programs are sampled only");
}

Found robust_mutex() {
  if (try_robust_mutex()) return available("the program notices if memswell dies, and runs on");
  return missing("the kernel does not tell",
                 "should memswell be killed, a program with full rings waits for seconds first");
}

Found barrier() {
  if (try_global_barrier()) return available("snapshots stop allocating threads without a fence in every call");
  return missing("membarrier(2) lacks GLOBAL_EXPEDITED (it came with 4.16)",
                 "a snapshot may meet a call half done: its ledger can be off by single blocks");
}

Found rseq() {
  const auto rseq = try_rseq();
  if (rseq.kernel && rseq.libc) return available("records of a thread cannot be torn by its signal handlers");
  return missing(rseq.kernel ? "libc has not registered it" : "the kernel lacks it",
                 "records are guarded in another way, at a few ns more a call; nothing is less exact");
}

Found clock_source() {
  const auto name =
      read_setting("/sys/devices/system/clocksource/clocksource0/current_clocksource").value_or("unknown");
  if (name == "tsc") return {AbilityState::available, name, "events are ordered by the processor's clock"};
  const auto processor = read_setting("/proc/cpuinfo").value_or("");
  const bool steady =
      processor.find(" constant_tsc") != std::string::npos && processor.find(" nonstop_tsc") != std::string::npos;
  if (steady) {
    return {kInformation, name + ", but the processor's clock is steady",
            "each recording first tests that all CPUs agree; if not, a counter in shared memory orders the events"};
  }
  return missing(name,
                 "a counter in shared memory orders the events: as exact, dearer if many threads allocate at once");
}

Found huge_pages() {
  const auto mode = chosen_in_brackets(read_setting("/sys/kernel/mm/transparent_hugepage/enabled").value_or("[never]"));
  if (mode == "always") return {kInformation, mode, "one written byte can make 2 MiB resident: see huge_rounding"};
  if (mode == "madvise") return {kInformation, mode, "huge pages only where a program asks for them"};
  return {kInformation, mode, "no transparent huge pages"};
}

Found swap() {
  const auto swaps = read_setting("/proc/swaps").value_or("");
  const bool any = swaps.find('\n') != std::string::npos;
  if (any) return {kInformation, "there is swap", "memory can leave RSS without being freed; it is shown as swapped"};
  return {kInformation, "none", "nothing leaves RSS but by being freed; lazily freed memory stays until it is needed"};
}

Found control_group() {
  const auto files = ProcessFiles::open(::getpid());
  const auto group = files && *files ? read_cgroup_memory(**files) : Result<std::optional<CgroupMemory>>(std::nullopt);
  if (!group || !*group) {
    return {kInformation, "no memory controller to be seen", "limits and out-of-memory kills cannot be told"};
  }
  const auto& memory = **group;
  const auto limit = memory.limit_bytes ? "limit " + mebibytes(*memory.limit_bytes) : std::string("no limit");
  return {kInformation, "v" + std::to_string(memory.version) + ", " + limit,
          memory.oom_kills ? "out-of-memory kills are recognised" : "out-of-memory kills look like any SIGKILL"};
}

Found yama() {
  const auto scope = read_setting("/proc/sys/kernel/yama/ptrace_scope");
  if (!scope) return {kInformation, "not there", "processes of the same user can be watched"};
  return {kInformation, "ptrace_scope " + *scope, "memswell never attaches to a process, it reads: no restriction"};
}

Found map_count() {
  return {kInformation, read_setting("/proc/sys/vm/max_map_count").value_or("unknown"),
          "mappings that a process may have; memswell adds about ten"};
}

Found overcommit() {
  const auto mode = read_setting("/proc/sys/vm/overcommit_memory").value_or("0");
  if (mode == "2")
    return {kInformation, "2 (strict)", "reserved memory counts against a limit: look at commit, not only RSS"};
  return {kInformation, mode, "memory that was reserved but never touched costs nothing"};
}

Found address_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return {kInformation, "none", "programs have all of the address space"};
  return {kInformation, mebibytes(limit.rlim_cur),
          "memswell's region takes part of it: at most 40 MiB, less if that fails"};
}

Found lock_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  const auto found = limit.rlim_cur == RLIM_INFINITY ? "none" : mebibytes(limit.rlim_cur);
  return {kInformation, found, "memswell locks no memory; a program that locks all of its own locks the region too"};
}

Found unwinder() {
  if (const auto path = find_library("libunwind.so.8")) return {AbilityState::available, *path, "full call stacks"};
  return missing("libunwind.so.8 is in none of the usual directories",
                 "stacks end at the first frame that frame pointers cannot walk; install libunwind8");
}

constexpr struct {
  std::string_view name;
  Found (*find)();
} kAbilities[] = {
    {"PAGEMAP_SCAN", page_scan},
    {"pagemap", pagemap},
    {"smaps_rollup", rollup},
    {"peak reset (clear_refs 5)", peak_reset},
    {"peak (VmHWM)", peak_bound},
    {"write tracking (userfaultfd)", write_tracking},
    {"soft-dirty bits", soft_dirty},
    {"shared zero page", zero_page},
    {"transparent huge pages", huge_pages},
    {"swap", swap},
    {"control group", control_group},
    {"overcommit_memory", overcommit},
    {"max_map_count", map_count},
    {"limit of address space", address_limit},
    {"limit of locked memory", lock_limit},
    {"shared memory (memfd)", memfd},
    {"robust mutex", robust_mutex},
    {"membarrier", barrier},
    {"restartable sequences", rseq},
    {"clock source", clock_source},
    {"libunwind", unwinder},
    {"children of a process", children},
    {"Yama", yama},
};

}  // namespace

std::vector<Ability> find_abilities() {
  std::vector<Ability> abilities;
  for (const auto& row : kAbilities) {
    auto found = row.find();
    abilities.push_back({std::string(row.name), found.state, std::move(found.found), std::move(found.consequence)});
  }
  return abilities;
}

}  // namespace memswell::smaps
