// Zeroed memory that costs nothing until it is written, and where that ends.
#include "workloads/expect.h"

namespace memswell::workloads {
namespace {

using namespace expect;

constexpr double kSize = 50 * kMiB, kNear = 64 * kKiB;

// --------------------------------------------------------------------------------------------------- calloc-lazy

constexpr Expectation kMemset[] = {
    exactly("", "calls", 1),
    exactly("", "requested_bytes", kSize),
    grew("alloc", kDirty, kSize + 4 * kKiB, kNear),
    grew_at_most("free", kDirty, kNear),
};
constexpr Expectation kLazy[] = {
    exactly("", "calls", 1),
    exactly("alloc", kLive, kSize),
    grew_at_most("alloc", kDirty, kNear),
    grew_at_most("touch", kDirty, kNear),
    grew_at_most("free", kDirty, kNear),
};
constexpr Expectation kRead[] = {
    grew_at_most("alloc", kDirty, kNear),
    grew_at_most("touch", kDirty, kNear, Needs::zero_page),
    {"touch", "zero_pages", Relation::about, 12'800, 2, false, Needs::zero_page},
    grew("touch", kDirty, kSize, kNear, Needs::no_zero_page),
    about("touch", "present_pages", 12'800, 2),
    grew_at_most("free", kDirty, kNear),
};
constexpr Expectation kWrite[] = {
    grew_at_most("alloc", kDirty, kNear),
    grew("touch", kDirty, 40 * kKiB, 16 * kKiB),
    about("touch", "present_pages", 11, 1),
    grew_at_most("free", kDirty, kNear),
};
constexpr Expectation kWriteHalf[] = {
    grew_at_most("alloc", kDirty, kNear),
    grew("touch", kDirty, kSize / 2, kNear),
    grew_at_most("free", kDirty, kNear),
};
constexpr Expectation kWriteAll[] = {
    grew_at_most("alloc", kDirty, kNear),
    grew("touch", kDirty, kSize, kNear),
    grew_at_most("free", kDirty, kNear),
};
constexpr Expectation kThp[] = {
    {"touch", kDirty, Relation::about, kSize, 2 * kMiB + kNear, true, Needs::huge_pages},
    grew_at_most("free", kDirty, kNear),
};

constexpr Variant kLazyVariants[] = {
    {"malloc-memset", "variant=malloc-memset", "Clearing by hand writes every page, and the process grows by all of them.",
     kMemset},
    {"calloc", "variant=calloc", "The block is a fresh mapping, zero without being cleared: one page is resident.", kLazy},
    {"calloc-read", "variant=calloc-read",
     "Reading maps the kernel's zero page: present in the page tables, but in no figure of smaps. (A kernel without a "
     "zero page gives each page read a frame of its own.)",
     kRead},
    {"calloc-write", "variant=calloc-write pages=10", "As many pages are resident as were written.", kWrite},
    {"calloc-write-half", "variant=calloc-write-half", "Half written, half resident.", kWriteHalf},
    {"calloc-write-all", "variant=calloc-write-all",
     "A program that fills its table anyway saves one pass over it, and no memory.", kWriteAll},
    {"calloc-thp", "variant=calloc-thp", "With huge pages, one byte written costs 2 MiB.", kThp},
};

// --------------------------------------------------------------------------------------------------- calloc-trap

constexpr double kTrap = 16 * kMiB;
constexpr Expectation kTrapped[] = {
    exactly("", "calls", 5),
    grew_at_most("call-1", kDirty, kNear),
    grew_at_most("call-2", kDirty, 512 * kKiB),
    grew("call-3", kDirty, kTrap, 0.05 * kTrap),
    grew("call-4", kDirty, kTrap, 0.05 * kTrap),
    grew("free-5", kDirty, kTrap, 0.05 * kTrap),
    about("call-3", "resident_pages", 4097, 2),
};
constexpr Expectation kNeverTrapped[] = {
    grew_at_most("call-1", kDirty, kNear), grew_at_most("call-2", kDirty, kNear), grew_at_most("call-3", kDirty, kNear),
    grew_at_most("call-4", kDirty, kNear), grew_at_most("call-5", kDirty, kNear), grew_at_most("free-5", kDirty, kNear),
};
constexpr Variant kTrapVariants[] = {
    {"default", "", "From the third call on calloc clears a recycled block itself, and its pages stay after free.", kTrapped},
    {"pinned", "pin_threshold=1", "With a fixed mmap threshold every block is a fresh mapping.", kNeverTrapped},
    {"50MiB", "size=50MiB", "Above 32 MiB glibc leaves its threshold alone.", kNeverTrapped},
};

// -------------------------------------------------------------------------------------------------- calloc-bench

constexpr std::string_view kBlock = "block_resident_bytes";
constexpr Expectation kBenchMemset[] = {
    exactly("", "calls", 2020),
    about("size-1000000", kBlock, 1e6, 8 * kKiB),
    about("size-10000000", kBlock, 1e7, 8 * kKiB),
    about("size-100000000", kBlock, 1e8, 8 * kKiB),
};
constexpr Expectation kBenchCalloc[] = {
    exactly("", "calls", 2020),
    about("size-100000", kBlock, 1e5, 8 * kKiB),
    at_most("size-1000000", kBlock, 8 * kKiB),
    at_most("size-10000000", kBlock, 8 * kKiB),
    at_most("size-100000000", kBlock, 8 * kKiB),
};
constexpr Expectation kBenchRecycled[] = {
    about("size-1000000", kBlock, 1e6, 8 * kKiB),
    about("size-10000000", kBlock, 1e7, 8 * kKiB),
    at_most("size-100000000", kBlock, 8 * kKiB),
};
constexpr Variant kBenchVariants[] = {
    {"malloc-memset", "method=malloc-memset", "Every byte is written: the time is that of the page faults.", kBenchMemset},
    {"calloc", "method=calloc", "From 128 KiB on a block is a fresh mapping and costs microseconds at any size.",
     kBenchCalloc},
    {"memset-recycled", "method=malloc-memset recycle=1", "Recycled pages need no fault, only the clearing.", kBenchMemset},
    {"calloc-recycled", "method=calloc recycle=1",
     "Up to 32 MiB a recycled block is cleared by calloc itself, at the speed of memset.", kBenchRecycled},
    {"memset-write", "method=malloc-memset access=write", "Cleared, then filled: two passes.", kBenchMemset, false},
    {"calloc-write", "method=calloc access=write", "A block that is filled afterwards: one pass less than with memset.",
     kBenchMemset, false},
    {"memset-read", "method=malloc-memset access=read", "Read after clearing.", kBenchMemset, false},
    {"calloc-read", "method=calloc access=read", "Read without writing: page faults, but no memory where the kernel has a "
     "zero page.", {}, false},
};

// --------------------------------------------------------------------------------------------------- buffer-tail

constexpr Expectation kTailCold[] = {
    exactly("append", "overallocated_bytes", 4'466'182),
    exactly("append", "tail_pages", 1089),
    at_most("append", "tail_resident_pages", 1),
    grew("append", kDirty, kSize, 256 * kKiB),
};
constexpr Expectation kTailCleared[] = {
    exactly("append", "tail_resident_pages", 1089),
    grew("append", kDirty, kSize + 4'466'182, 256 * kKiB),
};
constexpr Variant kTailVariants[] = {
    {"none", "fill=none", "Nobody writes the spare bytes: address space, not memory.", kTailCold},
    {"memset", "fill=memset", "Cleared to the capacity: the spare bytes cost memory, all of them.", kTailCleared},
    {"calloc", "fill=calloc", "calloc and copy keeps the tail cold, and pays with both buffers alive at each growth.",
     kTailCold},
};

// ------------------------------------------------------------------------------------------------ what is tabulated

constexpr KeyFigure kLazyFigures[] = {
    {"private dirty, allocated", "alloc", kDirty, Unit::bytes, true},
    {"private dirty, touched", "touch", kDirty, Unit::bytes, true},
    {"pages present", "touch", "present_pages", Unit::count},
    {"of them the zero page", "touch", "zero_pages", Unit::count},
};
constexpr PhaseTable kTrapTables[] = {
    {"private dirty, grown since the start", "call free", kDirty, Unit::bytes, true},
    {"time of calloc", "call", "calloc_ns", Unit::nanoseconds},
};
constexpr PhaseTable kBenchTables[] = {
    {"fastest call", "size", "fastest_ns", Unit::nanoseconds, false, true},
    {"resident in the block", "size", kBlock, Unit::bytes},
};
constexpr KeyFigure kTailFigures[] = {
    {"private dirty, grown", "append", kDirty, Unit::bytes, true},
    {"spare bytes", "append", "overallocated_bytes", Unit::bytes},
    {"spare pages", "append", "tail_pages", Unit::count},
    {"of them resident", "append", "tail_resident_pages", Unit::count},
};

}  // namespace

constinit const Workload kCallocLazy{
    "calloc-lazy", "50 MiB from calloc cost nothing until they are written",
    "calloc of a large block returns a fresh mapping, which is zero without anybody clearing it. A page becomes resident when "
    "it is first written; a page that is only read shares the zero page of the kernel. malloc and memset write all of it.",
    kLazyVariants, "malloc-memset", "", "size", "alloc touch", kLazyFigures, {}};

constinit const Workload kCallocTrap{
    "calloc-trap", "the third calloc of 16 MiB is not lazy any more",
    "When glibc frees a block that was a mapping of its own, it raises its mmap threshold to that size, up to 32 MiB. The next "
    "blocks of the size come from the heap, and a recycled one must be cleared by calloc: it becomes resident without a "
    "write by the program, and stays so after free, as the trim threshold was raised too.",
    kTrapVariants, "default", "calls", "size", "call", {}, kTrapTables};

constinit const Workload kCallocBench{
    "calloc-bench", "malloc and memset against calloc, from 10 bytes to 100 MB",
    "Small blocks cost the same either way: calloc clears them. From 128 KiB on, fresh memory needs no clearing and calloc is "
    "faster by the whole cost of the page faults, unless the block is recycled or written afterwards.",
    kBenchVariants, "malloc-memset", "loops", "most", "size", {}, kBenchTables};

constinit const Workload kBufferTail{
    "buffer-tail", "the spare tail of a growing buffer: memory only if somebody clears it",
    "A byte buffer of 50 MiB grows by an eighth and keeps 4.3 MiB in reserve. Whether the reserve is resident depends only on "
    "who wrote it.",
    kTailVariants, "memset", "", "size", "append", kTailFigures, {}};

}  // namespace memswell::workloads
