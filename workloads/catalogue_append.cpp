// Growing strings: who pays for over-allocation, in what coin.
#include "workloads/expect.h"

namespace memswell::workloads {
namespace {

using namespace expect;

constexpr double kLength = 100 * kMB;

// --------------------------------------------------------------------------------------------------------- append

constexpr Expectation kExactI[] = {
    exactly("append", "string_bytes", kLength),
    exactly("append", "reallocs", 1'000'000),
    at_most("append", "copied_bytes", 0.1 * kGB),
    grew("append", kDirty, 100 * kMB, 0.01 * 100 * kMB),
};
constexpr Expectation kExactTurn[] = {
    exactly("append", "string_bytes", kLength),
    exactly("append", "reallocs", 1'000'000),
    about("append", "copied_bytes", 37 * kGB, 0.2 * 37 * kGB),
    grew("append", kDirty, 130 * kMB, 0.08 * 130 * kMB),
};
constexpr Expectation kPlusI[] = {
    exactly("append", "reallocs", 31'000),
    exactly("append", "capacity_bytes", 111'392'000),
    at_most("append", "copied_bytes", 0.1 * kGB),
    grew("append", kDirty, 104.7 * kMB, 0.02 * 104.7 * kMB),
    about("append", "tail_pages", 1771, 20),
    at_most("append", "tail_resident_pages", 0.2 * 1771),
};
constexpr Expectation kPlusTurn[] = {
    exactly("append", "reallocs", 31'000),
    about("append", "copied_bytes", 0.448 * kGB, 0.03 * 0.448 * kGB),
    grew("append", kDirty, 111.8 * kMB, 0.03 * 111.8 * kMB),
    about("append", "tail_pages", 1773, 20),
    at_least("append", "tail_resident_pages", 0.6 * 1773),
};
constexpr Expectation kPowerI[] = {
    exactly("append", "reallocs", 11'000),
    at_most("append", "copied_bytes", 0.1 * kGB),
    grew("append", kDirty, 102.5 * kMB, 0.02 * 102.5 * kMB),
};
constexpr Expectation kPowerTurn[] = {
    exactly("append", "reallocs", 11'000),
    grew("append", kDirty, 117.3 * kMB, 0.03 * 117.3 * kMB),
};
constexpr Expectation kBucketI[] = {
    exactly("append", "moved", 10'000),
    exactly("", "calls", 0),
    grew("append", kDirty, 106.6 * kMB, 0.03 * 106.6 * kMB),
};
constexpr Expectation kBucketTurn[] = {
    exactly("append", "moved", 10'000),
    about("append", "bucket_free_bytes", 131.1 * kMB, 0.01 * 131.1 * kMB),
    grew("append", kDirty, 237 * kMB, 0.03 * 237 * kMB),
    grew("append", kVirtual, 262 * kMB, 0.02 * 262 * kMB),
};

constexpr Variant kVariants[] = {
    {"glibc-exact-i", "alloc=glibc policy=exact order=i", "The growing string is the last block: realloc extends it in place.",
     kExactI},
    {"glibc-exact-_", "alloc=glibc policy=exact order=_",
     "Behind every string stands another: realloc must move it at most appends, and leaves holes.", kExactTurn},
    {"glibc-plus25-i", "alloc=glibc policy=plus25 order=i", "Spare tails in fresh memory: most are not resident.", kPlusI},
    {"glibc-plus25-_", "alloc=glibc policy=plus25 order=_",
     "Few reallocs are left, and the process is smaller than with exact growth: fewer holes.", kPlusTurn},
    {"bucket-exact-i", "alloc=bucket policy=exact order=i", "The buckets over-allocate anyhow.", kBucketI},
    {"bucket-exact-_", "alloc=bucket policy=exact order=_",
     "All strings leave a bucket at the same time, and nobody needs it afterwards: half the memory is old buckets.",
     kBucketTurn},
    {"bucket-plus25-i", "alloc=bucket policy=plus25 order=i", "Over-allocation changes nothing for the buckets.", kBucketI},
    {"bucket-plus25-_", "alloc=bucket policy=plus25 order=_", "Nor here.", kBucketTurn},
    {"glibc-pow2-i", "alloc=glibc policy=pow2 order=i", "Fewest reallocs; the tails are address space.", kPowerI},
    {"glibc-pow2-_", "alloc=glibc policy=pow2 order=_", "Tails cut from recycled memory are resident.", kPowerTurn},
};

// -------------------------------------------------------------------------------------------------- append-single

constexpr double kRow = 1'024'000;
constexpr Expectation kSingleExact[] = {
    exactly("row-20", "string_bytes", 20 * kRow),
    exactly("row-20", "reallocs", 2'560'001),
    at_most("row-20", "copied_bytes", 256 * kKiB),
    grew("row-1", kDirty, kRow + 136 * kKiB, 64 * kKiB),
    grew("row-10", kDirty, 10 * kRow + 136 * kKiB, 64 * kKiB),
    grew("row-20", kDirty, 20 * kRow + 136 * kKiB, 64 * kKiB),
    grew_at_most("row-20", kVirtual, 20 * kRow + 136 * kKiB + 100 * kKiB),
};
constexpr Expectation kSinglePlus[] = {
    exactly("row-20", "reallocs", 59),
    at_most("row-20", "copied_bytes", 256 * kKiB),
    grew("row-10", kDirty, 10 * kRow + 136 * kKiB, 64 * kKiB),
    grew("row-20", kDirty, 20 * kRow + 136 * kKiB, 64 * kKiB),
    grew("row-20", kVirtual, 24'956 * kKiB, 160 * kKiB),
    about("row-20", "tail_pages", 1221, 3),
    at_most("row-20", "tail_resident_pages", 1),
};
constexpr Expectation kSinglePower[] = {
    exactly("row-20", "reallocs", 22),
    at_most("row-20", "copied_bytes", 256 * kKiB),
    grew("row-20", kDirty, 20 * kRow + 136 * kKiB, 64 * kKiB),
    grew("row-20", kVirtual, 32'844 * kKiB, 160 * kKiB),
    at_most("row-20", "tail_resident_pages", 1),
};
constexpr Variant kSingleVariants[] = {
    {"exact", "policy=exact", "A realloc every eight characters, and next to none copies: the kernel remaps the pages.", kSingleExact},
    {"plus25", "policy=plus25", "A few dozen reallocs; up to a fifth of the block is spare, and one page of it at most is resident.",
     kSinglePlus},
    {"pow2", "policy=pow2", "Fewest reallocs; up to half of the block is address space.", kSinglePower},
};

// ------------------------------------------------------------------------------------------------ what is tabulated

constexpr KeyFigure kFigures[] = {
    {"private dirty, grown", "append", kDirty, Unit::bytes, true},
    {"address space, grown", "append", kVirtual, Unit::bytes, true},
    {"reallocs", "append", "reallocs", Unit::count},
    {"moved", "append", "moved", Unit::count},
    {"copied", "append", "copied_bytes", Unit::bytes},
    {"tail pages", "append", "tail_pages", Unit::count},
    {"of them resident", "append", "tail_resident_pages", Unit::count},
    {"free in the buckets", "append", "bucket_free_bytes", Unit::bytes},
};
constexpr KeyFigure kSingleFigures[] = {
    {"reallocs", "row-20", "reallocs", Unit::count},
    {"remapped by the kernel", "row-20", "remapped", Unit::count},
    {"copied", "row-20", "copied_bytes", Unit::bytes},
    {"tail pages", "row-20", "tail_pages", Unit::count},
    {"of them resident", "row-20", "tail_resident_pages", Unit::count},
};
constexpr PhaseTable kSingleTables[] = {
    {"private dirty, grown since the start", "row", kDirty, Unit::bytes, true},
    {"address space, grown since the start", "row", kVirtual, Unit::bytes, true},
};

}  // namespace

constinit const Workload kAppend{
    "append", "1000 strings, 1000 appends each, in two orders",
    "In order i each string is finished before the next begins; in order _ all grow in turn. Exact growth with glibc then "
    "moves nearly every string at nearly every append. A quarter of over-allocation cures it. What the spare tails cost depends "
    "on where they were cut: fresh memory costs nothing, recycled memory is resident.",
    kVariants, "glibc-exact-i", "appends", "strings", "append", kFigures, {}};

constinit const Workload kAppendSingle{
    "append-single", "one string grows to 20 MB: over-allocation that no RSS row shows",
    "Private dirty memory follows the length of the string, whatever the policy: the spare tail was never written and has no "
    "page frame. The policies differ in address space, and in the number of reallocs.",
    kSingleVariants, "exact", "rows", "", "row", kSingleFigures, kSingleTables};

}  // namespace memswell::workloads
