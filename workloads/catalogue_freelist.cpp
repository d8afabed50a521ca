// An application's own free list, and what it does to the peaks of passes that follow each other.
#include "workloads/expect.h"

namespace memswell::workloads {
namespace {

using namespace expect;

constexpr double kFirst = 212 * kMiB, kBlockTrough = 116 * kMiB, kPoolPeak = 214.5 * kMiB;

// The later passes peak 1.395 times as high as the first; from the second on nothing is allocated but the tables.
constexpr Expectation kBlock[] = {
    exactly("fill-1", "live_objects", 4'000'000),
    exactly("fill-1", "new_blocks", 97'561),
    exactly("fill-2", "new_blocks", 0),
    exactly("fill-2", "calls", 12),
    exactly("fill-4", "new_blocks", 0),
    about("fill-1", kPeakRss, kFirst, 0.03 * kFirst),
    about("fill-2", kPeakRss, 1.395 * kFirst, 0.03 * 1.395 * kFirst),
    about("fill-3", kPeakRss, 1.395 * kFirst, 0.03 * 1.395 * kFirst),
    about("fill-4", kPeakRss, 1.395 * kFirst, 0.03 * 1.395 * kFirst),
    about("drop-4", kRss, kBlockTrough, 0.03 * kBlockTrough),
    exactly("drop-4", "live_objects", 0),
};
constexpr Expectation kPool[] = {
    about("fill-1", kPeakRss, kPoolPeak, 0.02 * kPoolPeak),
    about("fill-2", kPeakRss, kPoolPeak, 0.02 * kPoolPeak),
    about("fill-4", kPeakRss, kPoolPeak, 0.02 * kPoolPeak),
    at_most("drop-1", kRss, 6 * kMiB),
    at_most("drop-4", kRss, 6 * kMiB),
};
constexpr Expectation kPoolSurvivor[] = {
    exactly("drop-1", "live_objects", 1),
    about("drop-1", kRss, 93.5 * kMiB, 8.5 * kMiB),
    at_least("drop-1", kHeapFree, 0.85 * 85 * kMiB),
    about("drop-4", kRss, 93.5 * kMiB, 8.5 * kMiB),
};
constexpr Expectation kLifo[] = {
    exactly("drop-1", "live_objects", 0),
    exactly("drop-1", "arenas", 1),
    about("drop-1", kRss, 93.5 * kMiB, 8.5 * kMiB),
    about("drop-4", kRss, 93.5 * kMiB, 8.5 * kMiB),
};
constexpr Expectation kArrayAll[] = {
    about("fill-1", kPeakRss, kPoolPeak, 0.02 * kPoolPeak),
    about("fill-2", kPeakRss, 1.53 * kPoolPeak, 0.03 * 1.53 * kPoolPeak),
    about("fill-3", kPeakRss, 1.53 * kPoolPeak, 0.03 * 1.53 * kPoolPeak),
};
constexpr Expectation kMalloc[] = {
    exactly("fill-1", "calls", 4'000'012),
    about("fill-1", kPeakRss, 232.1 * kMiB, 0.03 * 232.1 * kMiB),
    about("fill-4", kPeakRss, 232.1 * kMiB, 0.03 * 232.1 * kMiB),
    at_most("drop-4", kRss, 20 * kMiB),
};
constexpr Expectation kCompact[] = {
    exactly("compact-1", "freed_blocks", 97'560),
    exactly("compact-2", "freed_blocks", 97'560),
    about("compact-1", kRss, 88 * kMiB, 5 * kMiB),
    about("drop-2", kRss, 96.7 * kMiB, 5 * kMiB),
    about("compact-2", kRss, 96.7 * kMiB, 5 * kMiB),
};
constexpr Expectation kTrim[] = {
    at_most("trim-1", kRss, 5 * kMiB),
    at_most("trim-2", kRss, 5 * kMiB),
    at_most("trim-4", kRss, 5 * kMiB),
};
constexpr Expectation kBlockDefault[] = {
    about("fill-1", kPeakRss, kFirst, 0.03 * kFirst),
    at_least("fill-2", kPeakRss, 1.1 * kFirst),
    at_least("drop-2", kRss, 90 * kMiB),
};
constexpr Expectation kSmall[] = {exactly("fill-1", "live_objects", 1000), exactly("fill-100", "new_blocks", 0)};
constexpr Expectation kSmallPool[] = {exactly("fill-1", "live_objects", 1000)};
constexpr Expectation kMedium[] = {exactly("fill-1", "live_objects", 1'000'000), exactly("fill-4", "new_blocks", 0)};

constexpr Variant kVariants[] = {
    {"block", "alloc=block",
     "The blocks of the free list are never freed: they stand beside the two tables at every growth but those of the first "
     "pass, and the doubling tables find no hole.",
     kBlock},
    {"pymalloc", "alloc=pymalloc", "Arenas are returned: every pass is as the first, and nothing stays.", kPool},
    {"array-80", "alloc=array limit=80", "Eighty objects kept in an array change nothing.", kPool},
    {"array-all", "alloc=array limit=4000000", "An array as large as the population is a free list again.", kArrayAll},
    {"lifo", "alloc=lifo limit=80",
     "A stack that gives its excess back ends with the last eighty objects: they lie at the top of the heap and pin what "
     "is free below.",
     kLifo},
    {"malloc", "alloc=malloc", "No free list and no pool: 32 bytes for every object of 24, flat peaks.", kMalloc},
    {"pymalloc-survivor", "alloc=pymalloc survivor=1",
     "A single number survives, in the arena at the top of the heap: all that is free below stays.",
     kPoolSurvivor},
    {"block-compact", "alloc=block survivor=1 compact=1",
     "All blocks but one are freed, and the process hardly shrinks: the survivor is at the top.", kCompact},
    {"block-compact-trim", "alloc=block survivor=1 compact=1 trim=1", "malloc_trim returns it all.", kTrim},
    {"block-default-heap", "alloc=block heap=default",
     "With mappings for large blocks the first growths leave no holes; freed tables raise glibc's thresholds.",
     kBlockDefault},
    {"block-annotated", "alloc=block annotate=1", "The program tells which objects are on its free list.", kBlock, false},
    {"float-block", "alloc=block kind=float", "Floats are of the same size here (24 bytes, 41 in a block).", kBlock, false},
    {"float-pymalloc", "alloc=pymalloc kind=float", "As ints.", kPool, false},
    {"small-block", "alloc=block items=500 passes=100", "Few objects, many passes: what the free list keeps is next to nothing.", kSmall,
     false},
    {"small-pymalloc", "alloc=pymalloc items=500 passes=100", "The same with the pool allocator.", kSmallPool, false},
    {"small-malloc", "alloc=malloc items=500 passes=100", "The same with malloc.", kSmallPool, false},
    {"medium-block", "alloc=block items=500000", "A quarter of the objects: what the free list keeps begins to count.", kMedium, false},
    {"medium-pymalloc", "alloc=pymalloc items=500000", "The same with the pool allocator.", {}, false},
};

// The small case beside the large one: only what is counted by object can be compared.
constexpr KeyFigure kFigures[] = {
    {"objects made", "end", "objects", Unit::count},
    {"CPU time of each", "end", "ns_per_object", Unit::nanoseconds},
    {"RSS, grown at the end", "end", kRss, Unit::bytes, true},
};
constexpr PhaseTable kTables[] = {
    {"RSS, peak of the pass", "fill", kPeakRss, Unit::bytes},
    {"RSS after the pass", "drop compact trim", kRss, Unit::bytes},
    {"free, still held by malloc", "drop", kHeapFree, Unit::bytes},
    {"time", "fill drop", "wall_ns", Unit::nanoseconds, false, true},
};

}  // namespace

constinit const Workload kFreelistPulse{
    "freelist-pulse", "a private free list makes the second pass peak above the first",
    "Four million numbers go into a table of two million items, the table is dropped, and again. The peak is the last growth of "
    "the table, when the old and the new one live at once. In the first pass it falls before all objects exist; in later "
    "passes a free list holds every object already, and the tables no longer fit into the holes between them.",
    kVariants, "block", "passes", "items", "fill drop", kFigures, kTables};

}  // namespace memswell::workloads
