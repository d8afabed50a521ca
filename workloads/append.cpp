// append: 1000 strings, 1000 appends of 100 bytes to each. In order `i` one string is finished before the next begins; in
// order `_` each gets an append in turn, so behind every string stands another, and realloc must move it: with exact growth
// 800,000 times and 37 GB, with a quarter over-allocated 30,000 times and 0.4 GB. The over-allocated tails lie in fresh
// memory in order `i`, and in recycled, resident memory in order `_`.
//
// policy=exact|plus25|pow2   order=i|_   alloc=glibc|bucket (power-of-two buckets over brk, as Perl's own malloc)
#include "common.h"
#include "common/bucket_allocator.h"
#include "common/growing_string.h"

using namespace workload;

namespace {

struct Plan {
  std::uint64_t strings, appends, bytes;
  bool in_turn;
};

template <class Strings>
[[gnu::noinline]] void append_all(Strings& strings, GrowingString* all, const Plan& plan) {
  static char text[4096];
  std::memset(text, 'x', sizeof text);
  for (std::uint64_t outer = 0; outer < (plan.in_turn ? plan.appends : plan.strings); ++outer) {
    for (std::uint64_t inner = 0; inner < (plan.in_turn ? plan.strings : plan.appends); ++inner) {
      strings.append(all[plan.in_turn ? inner : outer], text, plan.bytes);
    }
  }
}

// A tail is what lies behind the used bytes of a string, up to the end of its block.
template <class Usable>
void count_tails(const GrowingString* all, std::uint64_t count, Usable usable) {
  PageCount tails;
  std::uint64_t used = 0, requested = 0, usable_bytes = 0;
  for (const GrowingString* string = all; string < all + count; ++string) {
    memswell_used(string->bytes, string->length + 1);
    const PageCount tail =
        count_whole_pages(string->bytes + string->length + 1, usable(string->bytes) - string->length - 1);
    tails.pages += tail.pages;
    tails.present += tail.resident();
    used += string->length;
    requested += string->capacity;
    usable_bytes += usable(string->bytes);
  }
  fact("string_bytes", used);
  fact("capacity_bytes", requested);
  fact("usable_bytes", usable_bytes);
  fact("tail_pages", tails.pages);
  fact("tail_resident_pages", tails.present);
}

template <class Strings, class Usable>
void run(Strings& strings, GrowingString* all, const Plan& plan, Usable usable) {
  phase("base");
  phase("append");
  append_all(strings, all, plan);
  count_tails(all, plan.strings, usable);
  fact("reallocs", strings.reallocs);
  fact("moved", strings.moved);
  fact("copied_bytes", strings.copied_bytes);
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  Plan plan{options.number("strings", 1000, 1, 10'000'000), options.number("appends", 1000, 1, 10'000'000),
            options.number("bytes", 100, 1, 4096), false};
  const Growth growth = growth_named(options.word("policy", "exact plus25 pow2"));
  plan.in_turn = is(options.word("order", "i _"), "_");
  const bool bucket = is(options.word("alloc", "glibc bucket"), "bucket");
  options.done();

  GrowingString* all = map_anonymous<GrowingString>(plan.strings);
  for (std::uint64_t i = 0; i < plan.strings; ++i) all[i] = {};
  if (bucket) {
    static BucketStrings strings{growth};
    run(strings, all, plan, BucketAllocator::usable);
    fact("bucket_free_bytes", strings.allocator.free_bytes);
    phase("free");  // the buckets keep everything
    for (GrowingString* s = all; s < all + plan.strings; ++s) strings.allocator.release(s->bytes);
  } else {
    reach_page_start();  // glibc gives back the top of the heap by its size: what stays depends on where it began
    static GlibcStrings strings{growth};
    run(strings, all, plan, ::malloc_usable_size);
    phase("free");
    for (GrowingString* s = all; s < all + plan.strings; ++s) xfree(s->bytes, s->capacity);
  }
  return finish(argc, argv);
}
