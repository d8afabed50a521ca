// A linked free list over blocks of 1000 bytes (41 objects) that are never given back: how Python 2 kept its ints. The
// blocks stay allocated for malloc whether their objects live or not. compact() frees the blocks without a live object.
#pragma once

#include "freelist/object.h"

namespace workload {

class BlockFreeList {
 public:
  Object* take() {
    if (free_ == nullptr) fill();
    Object* object = free_;
    free_ = static_cast<Object*>(object->type);
    return object;
  }

  void give(Object* object) {
    object->references = 0;
    object->type = free_;
    free_ = object;
  }

  // Returns how many blocks were freed.
  std::uint64_t compact() {
    Block* block = blocks_;
    blocks_ = nullptr;
    free_ = nullptr;
    std::uint64_t freed = 0;
    while (block != nullptr) {
      Block* next = block->next;
      if (has_live(*block)) {
        keep_block(block);
      } else {
        xfree(block, sizeof(Block));
        ++freed;
      }
      block = next;
    }
    block_count -= freed;
    return freed;
  }

  std::uint64_t block_count = 0;

 private:
  static constexpr std::size_t kObjects = (1000 - sizeof(void*)) / sizeof(Object);
  struct Block {
    Block* next;
    Object objects[kObjects];
  };

  [[gnu::noinline]] void fill() {
    Block* block = static_cast<Block*>(xmalloc(sizeof(Block)));
    block->next = blocks_;
    blocks_ = block;
    ++block_count;
    for (Object& object : block->objects) give(&object);
  }

  static bool has_live(const Block& block) {
    for (const Object& object : block.objects) {
      if (is_object_live(object)) return true;
    }
    return false;
  }

  void keep_block(Block* block) {
    block->next = blocks_;
    blocks_ = block;
    for (Object& object : block->objects) {
      if (!is_object_live(object)) give(&object);
    }
  }

  Block* blocks_ = nullptr;
  Object* free_ = nullptr;
};

}  // namespace workload
