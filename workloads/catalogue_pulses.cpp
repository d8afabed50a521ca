// The classic pulses: why memory that was freed stays, and what RSS counts that costs nothing.
#include "workloads/expect.h"

namespace memswell::workloads {
namespace {

using namespace expect;

constexpr double kPage = kMiB;  // tolerance of the mapping workloads

// ------------------------------------------------------------------------------------------------------- frag-pin

constexpr double kFull = 198.5 * kMiB;
constexpr Expectation kFour[] = {
    exactly("alloc", "calls", 200'000),
    about("alloc", kRss, kFull, 0.02 * kFull),
    about("free", kRss, kFull, 0.02 * kFull),
    about("trim", kRss, kFull, 0.02 * kFull),
};
constexpr Expectation kSixtyFour[] = {
    about("alloc", kRss, kFull, 0.02 * kFull),
    about("free", kRss, kFull, 0.02 * kFull),
    about("trim", kRss, 15.4 * kMiB, 1.54 * kMiB),
};
constexpr Expectation kLast[] = {
    about("free", kRss, kFull, 0.02 * kFull),
    about("trim", kRss, 3.2 * kMiB, 1 * kMiB),
};
constexpr Variant kFragVariants[] = {
    {"4", "survivor=4", "A survivor on every page: not even malloc_trim returns anything.", kFour},
    {"64", "survivor=64", "A survivor on every sixteenth page: malloc_trim returns the others.", kSixtyFour},
    {"last", "survivor=last", "One block at the top holds everything, until malloc_trim.", kLast},
};

// -------------------------------------------------------------------------------------------------- vector-growth

constexpr Expectation kPushBack[] = {
    exactly("push", kLive, 134'217'728),
    about("push", kPeakRss, 129.9 * kMiB, 0.03 * 129.9 * kMiB),
    about("shrink", kPeakRss, 154.4 * kMiB, 0.03 * 154.4 * kMiB),
    grew("push", kDirty, 76.3 * kMiB, 1 * kMiB),
};
constexpr Expectation kReserve[] = {
    exactly("push", kLive, 80'000'000),
    about("push", kPeakRss, 78 * kMiB, 0.03 * 78 * kMiB),
};
constexpr Expectation kRealloc[] = {about("push", kPeakRss, 77.9 * kMiB, 0.03 * 77.9 * kMiB)};
constexpr Expectation kBrk[] = {
    about("push", kPeakRss, 206.1 * kMiB, 0.03 * 206.1 * kMiB),
    about("push", kHeapFree, 128 * kMiB, 2 * kMiB),
};
constexpr Variant kVectorVariants[] = {
    {"push_back", "variant=push_back", "At the last copy all of the old array is resident, and as much of the new one.", kPushBack},
    {"reserve", "variant=reserve", "No copy, no pulse.", kReserve},
    {"realloc", "variant=realloc", "mremap moves the pages: no pulse, and the unused half is address space.", kRealloc},
    {"brk", "variant=brk", "In one heap the old arrays stay behind, all generations of them.", kBrk},
};

// ---------------------------------------------------------------------------------------------- fastbin-retention

constexpr Expectation kFastbin[] = {
    exactly("alloc", "calls", 4'000'000),
    exactly("free", kLive, 0),
    about("alloc", kRss, 154 * kMiB, 0.03 * 154 * kMiB),
    about("free", kRss, 154 * kMiB, 0.03 * 154 * kMiB),
    about("free", "fast_bin_bytes", 122.1 * kMiB, 0.01 * 122.1 * kMiB),
    about("large-free", kRss, 32 * kMiB, 0.03 * 32 * kMiB),
};
constexpr Variant kFastbinVariants[] = {
    {"default", "", "All is freed and all stays; one large free brings it down.", kFastbin}};

// -------------------------------------------------------------------------------------------------- thread-arenas

constexpr Expectation kArenas[] = {
    exactly("hold", kLive, 131'072'000),
    about("hold", kRss, 129 * kMiB, 0.03 * 129 * kMiB),
    about("hold", kVirtual, 584 * kMiB, 58 * kMiB),
    about("free", kRss, 3.8 * kMiB, 3 * kMiB),
};
constexpr Expectation kOneArena[] = {
    about("hold", kRss, 129 * kMiB, 0.03 * 129 * kMiB),
    about("hold", kVirtual, 198 * kMiB, 20 * kMiB),
    about("free", kRss, 62 * kMiB, 15 * kMiB),
    about("exit", kRss, 2.5 * kMiB, 2 * kMiB),
};
constexpr Variant kArenaVariants[] = {
    {"default", "", "An arena for each thread: 64 MiB of address space each, and each gives its memory back.", kArenas},
    {"one-arena", "arenas=1", "One heap: what the threads keep in their caches pins what lies below.", kOneArena},
};

// ---------------------------------------------------------------------------------------- mappings of the program

constexpr Expectation kFork[] = {
    grew("dirty", kDirty, 100 * kMiB, kPage),
    about("fork", "child_read_private_dirty_bytes", 0, kPage),
    about("fork", "child_read_shared_dirty_bytes", 100.2 * kMiB, kPage),
    about("fork", "child_read_pss_bytes", 50.1 * kMiB, kPage),
    about("fork", "child_read_rss_bytes", 101 * kMiB, kPage),
    about("fork", "child_wrote_rss_bytes", 101 * kMiB, kPage),
    about("fork", "child_wrote_private_dirty_bytes", 50 * kMiB, kPage),
    about("fork", "child_wrote_shared_dirty_bytes", 50.2 * kMiB, kPage),
    about("fork", "child_wrote_pss_bytes", 75.1 * kMiB, kPage),
    grew("fork", kDirty, 50 * kMiB, kPage),
    grew("after", kDirty, 100 * kMiB, kPage),
};
constexpr Variant kForkVariants[] = {{"default", "", "The child's RSS is that of its parent from the start; what it adds is the half that it writes.", kFork}};

constexpr Expectation kFile[] = {
    grew("read", kRss, 100 * kMiB, kPage),           grew("read", kClean, 100 * kMiB, kPage),
    grew("read", kDirty, 0, kPage),                  grew("write-quarter", kDirty, 25 * kMiB, kPage),
    grew("write-quarter", kClean, 75 * kMiB, kPage), grew("dontneed", kRss, 0, kPage),
};
constexpr Variant kFileVariants[] = {{"default", "", "RSS that the system can take back, until a page is written.",
                                      kFile}};

constexpr Expectation kDeepStack[] = {
    grew("descend", kDirty, 5.6 * kMiB, 0.3 * kMiB),
    grew("returned", kDirty, 5.6 * kMiB, 0.3 * kMiB),
};
constexpr Variant kStackVariants[] = {{"default", "", "What the deepest frame reached stays resident after the return.", kDeepStack}};

constexpr Expectation kMadvise[] = {
    grew("dirty", kDirty, 100 * kMiB, kPage),
    grew("free", kRss, 100 * kMiB, kPage),
    grew("free", kDirty, 0, kPage),
    grew("free", kClean, 100 * kMiB, kPage),
    about("free", "lazy_free_bytes", 100 * kMiB, kPage),
    grew("rewrite-half", kDirty, 50 * kMiB, kPage),
    grew("dontneed", kRss, 0, kPage),
};
constexpr Variant kMadviseVariants[] = {{"default", "", "Given back, and still in RSS: clean, and the kernel's to take.",
                                         kMadvise}};

// ------------------------------------------------------------------------------------------------ what is tabulated

constexpr std::string_view kEveryPhase = "alloc free trim push shrink large-free hold exit descend returned";
constexpr PhaseTable kStateTables[] = {
    {"RSS at the end of the phase", kEveryPhase, kRss, Unit::bytes},
    {"free, still held by malloc", kEveryPhase, kHeapFree, Unit::bytes},
};
constexpr PhaseTable kPeakTables[] = {
    {"RSS, peak of the phase", kEveryPhase, kPeakRss, Unit::bytes},
    {"RSS at the end of the phase", kEveryPhase, kRss, Unit::bytes},
};
constexpr KeyFigure kArenaFigures[] = {{"address space", "hold", kVirtual, Unit::bytes}};
constexpr KeyFigure kForkFigures[] = {
    {"parent, private dirty before", "dirty", kDirty, Unit::bytes},
    {"child read, RSS", "fork", "child_read_rss_bytes", Unit::bytes},
    {"child read, private dirty", "fork", "child_read_private_dirty_bytes", Unit::bytes},
    {"child read, PSS", "fork", "child_read_pss_bytes", Unit::bytes},
    {"child wrote, RSS", "fork", "child_wrote_rss_bytes", Unit::bytes},
    {"child wrote, private dirty", "fork", "child_wrote_private_dirty_bytes", Unit::bytes},
    {"child wrote, PSS", "fork", "child_wrote_pss_bytes", Unit::bytes},
    {"parent, private dirty then", "fork", kDirty, Unit::bytes},
    {"parent, after the child", "after", kDirty, Unit::bytes},
};
constexpr std::string_view kMappingPhases = "read write-quarter dirty free rewrite-half dontneed";
constexpr PhaseTable kMappingTables[] = {
    {"RSS", kMappingPhases, kRss, Unit::bytes},
    {"private dirty", kMappingPhases, kDirty, Unit::bytes},
    {"private clean", kMappingPhases, kClean, Unit::bytes},
};

}  // namespace

constinit const Workload kFragPin{
    "frag-pin", "a few survivors keep a whole heap resident",
    "200,000 blocks of 1008 bytes, nearly all freed. free() returns memory only from the top of the heap; malloc_trim returns "
    "every whole page that is free. What is left is decided by where the survivors lie, not by how many they are.",
    kFragVariants, "4", "", "blocks", "alloc free trim", {}, kStateTables};

constinit const Workload kVectorGrowth{
    "vector-growth", "growth by doubling: the old and the new array at once",
    "10,000,000 numbers pushed onto a vector. The peak is the last copy, not the final array.", kVectorVariants, "push_back", "",
    "items", "push", {}, kPeakTables};

constinit const Workload kFastbinRetention{
    "fastbin-retention", "four million small blocks freed, nothing returned",
    "Freed chunks of up to 128 bytes go to the fast bins and count as in use for their neighbours; they are merged only when a "
    "chunk above 64 KiB is freed or a large one is requested.",
    kFastbinVariants, "default", "", "blocks", "alloc free large-free", {}, kStateTables};

constinit const Workload kThreadArenas{
    "thread-arenas", "eight threads, eight arenas or one",
    "Each thread fills an arena of its own and returns it whole, for the price of 64 MiB of address space each. In one shared "
    "arena the blocks of all threads lie in one heap, and what a thread keeps cached pins what is free below.",
    kArenaVariants, "default", "threads", "blocks", "hold free", kArenaFigures, kStateTables};

constinit const Workload kForkCow{"fork-cow", "what a forked child really adds",
                        "Parent and child share 100 MiB until the child writes half of it. RSS counts the shared pages in both.",
                        kForkVariants, "default", "", "size", "dirty fork", kForkFigures, {}};

constinit const Workload kMmapFile{"mmap-file", "file pages that count in RSS and cost nothing",
                         "A private mapping of a file of 100 MiB is read, then a quarter of it is written.", kFileVariants,
                         "default", "", "size", "read write-quarter", {}, kMappingTables};

constinit const Workload kStack{"stack", "a stack stays as deep as it once was",
                      "A recursion of 1400 frames of 4 KiB returns, and its pages stay.", kStackVariants, "default", "", "frames",
                      "descend", {}, kStateTables};

constinit const Workload kMadvFree{"madv-free", "given back, still resident",
                         "MADV_FREE hands 100 MiB to the kernel, which takes them when it needs them.", kMadviseVariants,
                         "default", "", "size", "dirty free rewrite-half", {}, kMappingTables};

}  // namespace memswell::workloads
