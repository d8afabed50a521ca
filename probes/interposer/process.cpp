#include "process.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "attach.h"
#include "call_frame_info.h"
#include "memory.h"
#include "real_functions.h"
#include "sampling.h"
#include "stamp.h"
#include "symbol_lookup.h"
#include "system_calls.h"
#include "write_tracker.h"

extern "C" void* __libc_stack_end;

namespace memswell::probe {

constinit Process process{};  // hooks run before constructors: a dynamic initialiser would undo what they found
__thread ThreadLocal thread_local_state;

namespace {

enum : std::uint32_t { kNotBegun, kBeginning, kBegun };
std::atomic<std::uint32_t> state{kNotBegun};
std::atomic<std::uintptr_t> beginner{0};

bool failed(long result) { return result < 0 && result > -4096; }

constexpr std::uint64_t kSmallPool = 512 * format::kPageBytes;   // some threads, one layout
constexpr std::uint64_t kLeastPool = 128 * format::kPageBytes;

// A program under RLIMIT_AS must not lose its address space to us: a sixteenth, or a quarter if some threads need that.
std::uint64_t affordable_bytes(std::uint64_t wanted, std::uint64_t small) {
  rlimit64 limit{};
  if (system_call(SYS_prlimit64, 0, RLIMIT_AS, 0, as_word(&limit)) < 0) return wanted;
  if (limit.rlim_cur == RLIM64_INFINITY || limit.rlim_cur / 16 >= wanted) return wanted;
  const std::uint64_t share = limit.rlim_cur / 16 & ~(format::kPageBytes - 1);
  if (share > small) return share;
  return small <= limit.rlim_cur / 4 ? small : 0;
}

bool valid(const format::RunHeader& h) {
  return h.magic == format::kRegionMagic && h.version == format::kRegionVersion;
}

bool map_region(int fd) {
  constexpr std::uint64_t kHeaderBytes = format::kPageBytes;
  long mapped = system_call(SYS_mmap, 0, kHeaderBytes, PROT_READ, MAP_SHARED, fd, 0);
  if (failed(mapped)) return false;
  const auto* probe_header = reinterpret_cast<const format::RunHeader*>(mapped);
  const bool ok = valid(*probe_header);
  const std::uint64_t whole = probe_header->region_bytes, pool = probe_header->pool_offset;
  system_call(SYS_munmap, mapped, kHeaderBytes);
  if (!ok) return false;
  std::uint64_t bytes = affordable_bytes(whole, pool + kSmallPool);
  if (bytes < pool + kLeastPool) return false;
  do {
    mapped = system_call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (!failed(mapped)) break;
    bytes = (bytes - bytes / 4) & ~(format::kPageBytes - 1);
  } while (bytes >= pool + kLeastPool);
  if (failed(mapped)) return false;
  constexpr int kNotInCoreFiles = 16;  // MADV_DONTDUMP
  system_call(SYS_madvise, mapped, static_cast<long>(bytes), kNotInCoreFiles);
  process.header = reinterpret_cast<format::RunHeader*>(mapped);
  process.mapped_bytes = bytes;
  return true;
}

// Private pages behind the region: they bear its name, never merge with the heap, and a forked child has them as they were.
void map_sampled_set(int fd) {
  if (process.header->sample_bytes == 0) return;
  const long mapped = system_call(SYS_mmap, 0, format::kSampledSetBytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_NORESERVE, fd, static_cast<long>(process.header->sampled_set_offset));
  if (!failed(mapped)) process.sampled = reinterpret_cast<SampledSet*>(mapped);
}

bool make_wiped_page() {
  const long page = system_call(SYS_mmap, 0, format::kPageBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (failed(page)) return false;
  constexpr int kWipeOnFork = 18;
  if (system_call(SYS_madvise, page, format::kPageBytes, kWipeOnFork) < 0) return false;
  process.wiped = reinterpret_cast<WipedPage*>(page);
  return true;
}

void find_allocator_range() {
  ModuleOfPc module;
  if (real.answers_at_once || !find_module(reinterpret_cast<std::uintptr_t>(real.malloc), module)) return;
  process.allocator_begin = module.begin;
  process.allocator_end = module.end;
}

format::ProcessSlot* slots() {
  return reinterpret_cast<format::ProcessSlot*>(reinterpret_cast<char*>(process.header) + process.header->process_offset);
}

void raise_to(std::atomic<std::uint32_t>& high, std::uint32_t value) {
  std::uint32_t seen = high.load(std::memory_order_relaxed);
  while (seen < value && !high.compare_exchange_weak(seen, value)) {}
}

bool claim_slot(format::ProcessOrigin origin) {
  for (std::uint32_t i = 0; i < format::kProcessSlots; ++i) {
    format::ProcessSlot& slot = slots()[i];
    format::SlotState free = format::SlotState::free;
    if (slot.state.load(std::memory_order_relaxed) != free) continue;
    if (!slot.state.compare_exchange_strong(free, format::SlotState::claimed)) continue;
    raise_to(process.header->processes_high, i + 1);
    process.slot = &slot;
    process.slot_index = i;
    slot.pid = static_cast<std::uint32_t>(system_call(SYS_getpid));
    slot.parent_pid = static_cast<std::uint32_t>(system_call(SYS_getppid));
    slot.origin = origin;
    return true;
  }
  return false;
}

void find_address_ranges() {
  process.main_stack_end = (reinterpret_cast<std::uintptr_t>(__libc_stack_end) | (format::kPageBytes - 1)) + 1;
  process.executable_headers = initial_auxiliary(AT_PHDR);
  process.executable_header_count = initial_auxiliary(AT_PHNUM);
  const link_map* loader = loader_module();
  if (loader == nullptr) return;
  const auto* elf = reinterpret_cast<const ElfW(Ehdr)*>(loader->l_addr);
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(loader->l_addr + elf->e_phoff);
  for (int i = 0; i < elf->e_phnum; ++i) {
    if (segments[i].p_type != PT_LOAD || (segments[i].p_flags & PF_X) == 0) continue;
    process.loader_begin = loader->l_addr + segments[i].p_vaddr;
    process.loader_end = process.loader_begin + segments[i].p_memsz;
  }
}

void add_own_module(const link_map* module) {
  if (module == nullptr) return;
  const auto* elf = reinterpret_cast<const ElfW(Ehdr)*>(module->l_addr);
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(module->l_addr + elf->e_phoff);
  std::uintptr_t end = 0;
  for (int i = 0; i < elf->e_phnum; ++i) {
    if (segments[i].p_type == PT_LOAD) end = module->l_addr + segments[i].p_vaddr + segments[i].p_memsz;
  }
  add_own_range(module->l_addr, (end + format::kPageBytes - 1) & ~(format::kPageBytes - 1));
}

void describe_image() {
  auto region = reinterpret_cast<std::uintptr_t>(process.header);
  auto page = reinterpret_cast<std::uintptr_t>(process.wiped);
  add_own_range(region, region + process.mapped_bytes);
  add_own_range(page, page + format::kPageBytes);
  const auto sampled = reinterpret_cast<std::uintptr_t>(process.sampled);
  if (sampled != 0) add_own_range(sampled, sampled + format::kSampledSetBytes);
  add_own_module(own_module());
  if (process.mapped_bytes < process.header->region_bytes) set_flag(format::ProcessFlag::partly_mapped);
  if (process.rseq_offset == 0) set_flag(format::ProcessFlag::no_rseq);
  if (!real.answers_at_once && !real.answers_for_its_own) set_flag(format::ProcessFlag::no_sizes);
  const link_map* first = nullptr;
  find_first("malloc", &first);
  if (first != own_module()) set_flag(format::ProcessFlag::own_malloc);
  if (real.allocator != nullptr) {
    const std::size_t n = text_length(real.allocator->l_name);
    copy_bytes(process.slot->allocator_path, real.allocator->l_name, n < 191 ? n : 191);
  }
}

// From here on hooks record: the generation is what they look at.
void go_live(std::uint64_t begin_stamp) {
  process.slot->begin_stamp = begin_stamp;
  process.slot->state.store(format::SlotState::live, std::memory_order_release);
  process.wiped->generation.store(process.slot_index + 1 + (std::uint64_t{process.slot->pid} << 32),
                                  std::memory_order_release);
}

void attach() {
  const char* address = initial_environment("MEMSWELL_REGION");
  if (address == nullptr) return;
  const int fd = receive_region(address);
  if (fd < 0) return;
  const bool mapped = map_region(fd);
  if (mapped) map_sampled_set(fd);
  system_call(SYS_close, fd);
  if (!mapped || !make_wiped_page()) return;
  find_address_ranges();
  process.tsc = process.header->stamp_source == format::StampSource::tsc;
  if (auto* offset = static_cast<const std::ptrdiff_t*>(find_in_module(loader_module(), "__rseq_offset"))) {
    auto* size = static_cast<const unsigned*>(find_in_module(loader_module(), "__rseq_size"));
    if (size != nullptr && *size != 0) process.rseq_offset = *offset;
  }
  prepare_call_frame_info();
  find_allocator_range();
  constexpr long kRegisterGlobalExpedited = 4;  // membarrier(2): the recorder's gate reaches this program's threads
  system_call(SYS_membarrier, kRegisterGlobalExpedited, 0, 0);
  if (!claim_slot(format::ProcessOrigin::exec)) return;
  describe_image();
  offer_write_tracker();
  go_live(stamp_now());
}

}  // namespace

bool beginning() {
  return state.load(std::memory_order_relaxed) == kBeginning &&
         beginner.load(std::memory_order_relaxed) == thread_pointer();
}

void begin_image() {
  std::uint32_t expected = kNotBegun;
  if (!state.compare_exchange_strong(expected, kBeginning)) {
    // Another thread is at it; it takes no lock that we could hold. Not for ever: it may have been forked away.
    for (int i = 0; i < 100'000'000 && !beginning() && state.load(std::memory_order_acquire) == kBeginning; ++i) {
      asm volatile("pause");
    }
    return;
  }
  beginner.store(thread_pointer(), std::memory_order_relaxed);
  find_real_functions();
  attach();
  state.store(kBegun, std::memory_order_release);
}

// What lived at the fork; where that was not seen, what lives in the parent now.
static void inherit_live(std::uint32_t parent, const format::ProcessSlot& parent_slot) {
  if (process.header->sample_bytes == 0) return;
  LiveSums live{process.fork_live_bytes, process.fork_live_blocks};
  if (process.slot->fork_stamp == 0) live = live_sums(parent, parent_slot);
  process.slot->live_bytes.store(live.bytes, std::memory_order_relaxed);
  process.slot->peak_live_bytes.store(live.bytes, std::memory_order_relaxed);
  process.slot->live_blocks.store(live.blocks, std::memory_order_relaxed);
}

bool adopt_child() {
  if (process.header->enabled.load(std::memory_order_relaxed) == 0) return false;
  if (process.wiped->adopting.exchange(1) != 0) return false;
  const std::uint32_t parent = process.slot_index;
  const format::ProcessSlot& parent_slot = slots()[parent];
  const std::uint32_t flags = parent_slot.flags.load(std::memory_order_relaxed);
  if (!claim_slot(format::ProcessOrigin::fork)) return false;
  process.gate_passed.store(0, std::memory_order_relaxed);
  process.slot->parent_slot = parent;
  process.slot->fork_stamp = process.fork_stamp.load(std::memory_order_relaxed);
  process.slot->flags.store(flags, std::memory_order_relaxed);
  if (process.slot->fork_stamp == 0) process.layout = 0;  // not by our fork hook: the layout was not shared
  process.slot->layout.store(process.layout, std::memory_order_relaxed);
  process.slot->uncertain_blocks.store(process.fork_uncertain, std::memory_order_relaxed);
  const std::uint32_t ranges = parent_slot.own_ranges.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < ranges && i < format::kOwnRanges; ++i) {
    add_own_range(parent_slot.own[i].begin, parent_slot.own[i].end);
  }
  copy_bytes(process.slot->allocator_path, parent_slot.allocator_path, sizeof process.slot->allocator_path);
  inherit_live(parent, parent_slot);
  process.first_thread.store(0, std::memory_order_relaxed);
  process.several_threads.store(0, std::memory_order_relaxed);
  process.large_bytes_seen.store(0, std::memory_order_relaxed);
  offer_write_tracker();
  go_live(stamp_now());
  return true;
}

bool recorder_alive() {
  const auto* word = reinterpret_cast<const volatile std::uint32_t*>(process.header->recorder_mutex);
  return (*word & format::kFutexOwnerDied) == 0 && *word != 0;
}

std::uint64_t clock_ms() {
  if (process.sandboxed.load(std::memory_order_relaxed) != 0) return read_tsc() / 3'000'000;
  timespec now{};
  system_call(SYS_clock_gettime, CLOCK_MONOTONIC, as_word(&now));
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

void switch_off() {
  process.off.store(1, std::memory_order_relaxed);
  if (process.wiped != nullptr) process.wiped->generation.store(0, std::memory_order_relaxed);
  if (process.header != nullptr) process.header->enabled.store(0, std::memory_order_relaxed);
}

void add_own_range(std::uintptr_t begin, std::uintptr_t end) {
  const std::uint32_t i = process.slot->own_ranges.load(std::memory_order_relaxed);
  if (i >= format::kOwnRanges) return;
  process.slot->own[i] = {begin, end};
  process.slot->own_ranges.store(i + 1, std::memory_order_release);
}

void set_flag(format::ProcessFlag flag) {
  if (process.slot != nullptr) process.slot->flags.fetch_or(static_cast<std::uint32_t>(flag));
}

}  // namespace memswell::probe
