// Where the objects of freelist-pulse come from and go to: one of five allocators, told apart by a word.
//
//   block      linked free list over blocks that are never returned
//   pymalloc   a pool allocator that returns empty arenas
//   array      at most `limit` free objects in an array, the others go to the pool
//   lifo       a stack of `limit` free objects; when it is full, its older half goes to the pool
//   malloc     every object a block of its own
#pragma once

#include "common/options.h"
#include "common/reading.h"
#include "freelist/block_free_list.h"
#include "freelist/small_pool.h"

namespace workload {

class ObjectSource {
 public:
  ObjectSource(const char* kind, std::uint64_t limit) : kind_(kind_named(kind)), limit_(limit) {
    if (kind_ == Kind::array || kind_ == Kind::lifo) stack_ = map_anonymous<Object*>(limit);
  }

  Object* take() {
    ++live_objects;
    if (depth_ > 0) return stack_[--depth_];
    switch (kind_) {
      case Kind::block: return blocks.take();
      case Kind::malloc: return static_cast<Object*>(xmalloc(sizeof(Object)));
      case Kind::pymalloc:
      case Kind::array:
      case Kind::lifo: break;
    }
    return pool.take();
  }

  void give(Object* object) {
    --live_objects;
    switch (kind_) {
      case Kind::block: return blocks.give(object);
      case Kind::malloc: return xfree(object, sizeof(Object));
      case Kind::pymalloc: return pool.give(object);
      case Kind::array: return depth_ < limit_ ? push(object) : pool.give(object);
      case Kind::lifo: break;
    }
    if (depth_ == limit_) give_older_half_back();
    push(object);
  }

  BlockFreeList blocks;
  SmallPool pool;
  std::uint64_t live_objects = 0;

 private:
  enum class Kind { block, pymalloc, array, lifo, malloc };

  static Kind kind_named(const char* name) {
    if (is(name, "pymalloc")) return Kind::pymalloc;
    if (is(name, "array")) return Kind::array;
    if (is(name, "lifo")) return Kind::lifo;
    return is(name, "malloc") ? Kind::malloc : Kind::block;
  }

  void push(Object* object) { stack_[depth_++] = object; }

  void give_older_half_back() {
    const std::uint64_t half = limit_ / 2;
    for (std::uint64_t i = 0; i < half; ++i) pool.give(stack_[i]);
    std::memmove(stack_, stack_ + half, (limit_ - half) * sizeof *stack_);
    depth_ = limit_ - half;
  }

  Kind kind_;
  std::uint64_t limit_;
  Object** stack_ = nullptr;
  std::uint64_t depth_ = 0;
};

}  // namespace workload
