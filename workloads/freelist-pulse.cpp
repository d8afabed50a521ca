// freelist-pulse: 4,000,000 numbers and a table of 2,000,000 items are made and dropped, pass after pass. With a private
// free list the second pass peaks above the first: the free list holds every object when the table grows.
//
// items=2000000 passes=4   alloc=block|pymalloc|array|lifo|malloc (freelist/object_source.h; limit=80 for array and lifo)
// kind=int|float   heap=brk (M_MMAP_MAX=0, everything in one heap)|default   survivor=1 keeps one number of each pass
// compact=1 frees the blocks that hold no live number after each pass   trim=1 calls malloc_trim   annotate=1 tells
// memswell of every number on the free list (memswell_pool_free, memswell_pool_alloc)
#include "common.h"
#include "freelist/number_table.h"
#include "freelist/object_source.h"

using namespace workload;

namespace {

struct Pass {
  ObjectSource source;
  NumberTable table = {};
  Object* survivor = nullptr;
  bool floats, survive, annotate;

  [[gnu::noinline]] Object* number(std::uint64_t value) {
    Object* object = source.take();
    if (annotate) memswell_pool_alloc(object, sizeof *object);
    object->references = 1;
    object->type = floats ? &float_type : &int_type;
    if (floats) object->real = static_cast<double>(value);
    else object->whole = static_cast<std::int64_t>(value);
    return object;
  }

  void drop(Object* object) {
    if (--object->references > 0) return;
    source.give(object);
    if (annotate) memswell_pool_free(object, sizeof *object);
  }

  [[gnu::noinline]] void fill(std::uint64_t items) {
    for (std::uint64_t i = 0; i < items; ++i) {
      Object* key = number(i);
      table.add(key, number(i + items));
      if (!survive) continue;
      ++key->references;  // as a loop variable that outlives its loop
      if (survivor != nullptr) drop(survivor);
      survivor = key;
    }
  }

  [[gnu::noinline]] void clear() {
    table.clear([this](Object* object) { drop(object); });
  }
};

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::uint64_t items = options.number("items", 2'000'000, 1, 1'000'000'000);
  const std::uint64_t passes = options.number("passes", 4, 1, kMostPasses);
  const char* alloc = options.word("alloc", "block pymalloc array lifo malloc");
  const bool floats = is(options.word("kind", "int float"), "float");
  const bool brk = is(options.word("heap", "brk default"), "brk");
  const bool compact = options.flag("compact"), trim = options.flag("trim");
  static Pass pass{ObjectSource(alloc, options.number("limit", 80, 2, 1'000'000'000)), {}, nullptr, floats, options.flag("survivor"),
                   options.flag("annotate")};
  options.done();
  if (brk) ::mallopt(M_MMAP_MAX, 0);

  reach_page_start();  // so that arenas have the same number of pools in every run
  phase("base");
  for (std::uint64_t k = 1; k <= passes; ++k) {
    phase("fill", k);
    const std::uint64_t blocks = pass.source.blocks.block_count;
    pass.fill(items);
    fact("live_objects", pass.source.live_objects);
    fact("new_blocks", pass.source.blocks.block_count - blocks);
    phase("drop", k);
    pass.clear();
    fact("live_objects", pass.source.live_objects);
    fact("blocks", pass.source.blocks.block_count);
    fact("arenas", pass.source.pool.arena_count);
    if (compact) {
      phase("compact", k);
      fact("freed_blocks", pass.source.blocks.compact());
    }
    if (trim) {
      phase("trim", k);
      ::malloc_trim(0);
    }
  }
  const double made = 2.0 * static_cast<double>(items) * static_cast<double>(passes);
  double spent = 0;
  phase("end");
  for (std::uint32_t i = 0; i < phase_count; ++i) {
    const bool timed = std::strncmp(phases[i].name, "fill", 4) == 0 || std::strncmp(phases[i].name, "drop", 4) == 0;
    if (timed) spent += phases[i].cpu_seconds;
  }
  fact("objects", made);
  fact("ns_per_object", spent * 1e9 / made);
  return finish(argc, argv);
}
