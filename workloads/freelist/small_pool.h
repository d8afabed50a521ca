// An allocator for objects of one size, after the plan of Python's pymalloc: arenas of 256 KiB from malloc, cut into pools
// of 4 KiB; a pool without live objects goes back to its arena, an arena without pools in use goes back to malloc.
// Arenas with few free pools are used first, so that others can empty.
#pragma once

#include "freelist/object.h"

namespace workload {

class SmallPool {
 public:
  Object* take() {
    Pool* pool = partly_used_;
    if (pool == nullptr) pool = new_pool();
    Object* object = pool->free;
    if (object != nullptr) {
      pool->free = static_cast<Object*>(object->type);
    } else {
      object = pool->fresh++;
    }
    if (++pool->live == kObjects) unlink(pool);
    return object;
  }

  void give(Object* object) {
    Pool* pool = reinterpret_cast<Pool*>(reinterpret_cast<std::uintptr_t>(object) & ~(kPoolBytes - 1));
    object->references = 0;
    object->type = pool->free;
    pool->free = object;
    if (pool->live-- == kObjects) link(pool);
    if (pool->live == 0) give_pool(pool);
  }

  std::uint64_t arena_count = 0;

 private:
  static constexpr std::size_t kArenaBytes = 256 << 10;
  static constexpr std::uintptr_t kPoolBytes = 4096;

  struct Arena;
  struct Pool {  // at the start of its 4 KiB
    Pool* next;
    Pool* previous;
    Object* free;
    Object* fresh;  // never taken yet
    Arena* arena;
    std::uint64_t live;
  };
  struct Arena {  // in a small block of its own
    Arena* next;
    Arena* previous;
    char* base;
    char* fresh;  // pools never used yet
    Pool* free;
    std::uint32_t free_count, total;
  };
  static constexpr std::size_t kObjects = (kPoolBytes - sizeof(Pool)) / sizeof(Object);

  void link(Pool* pool) {
    pool->previous = nullptr;
    pool->next = partly_used_;
    if (pool->next != nullptr) pool->next->previous = pool;
    partly_used_ = pool;
  }
  void unlink(Pool* pool) {
    if (pool->previous != nullptr) pool->previous->next = pool->next;
    else partly_used_ = pool->next;
    if (pool->next != nullptr) pool->next->previous = pool->previous;
  }

  [[gnu::noinline]] Arena* new_arena() {
    Arena* arena = static_cast<Arena*>(xmalloc(sizeof(Arena)));
    arena->base = static_cast<char*>(xmalloc(kArenaBytes));
    const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(arena->base) + kPoolBytes - 1) & ~(kPoolBytes - 1);
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(arena->base) + kArenaBytes;
    arena->fresh = reinterpret_cast<char*>(begin);
    arena->total = arena->free_count = static_cast<std::uint32_t>((end - begin) / kPoolBytes);
    arena->free = nullptr;
    ++arena_count;
    insert(arena);
    return arena;
  }

  // usable_ is kept in the order of free_count, fewest first.
  void insert(Arena* arena) {
    Arena* previous = nullptr;
    Arena* next = usable_;
    for (; next != nullptr && next->free_count < arena->free_count; next = next->next) previous = next;
    arena->previous = previous;
    arena->next = next;
    (previous != nullptr ? previous->next : usable_) = arena;
    if (next != nullptr) next->previous = arena;
  }
  void remove(Arena* arena) {
    (arena->previous != nullptr ? arena->previous->next : usable_) = arena->next;
    if (arena->next != nullptr) arena->next->previous = arena->previous;
  }

  Pool* new_pool() {
    Arena* arena = usable_ != nullptr ? usable_ : new_arena();
    Pool* pool = arena->free;
    if (pool != nullptr) {
      arena->free = pool->next;
    } else {
      pool = reinterpret_cast<Pool*>(arena->fresh);
      arena->fresh += kPoolBytes;
    }
    if (--arena->free_count == 0) remove(arena);
    pool->free = nullptr;
    pool->fresh = reinterpret_cast<Object*>(pool + 1);
    pool->arena = arena;
    pool->live = 0;
    link(pool);
    return pool;
  }

  void give_pool(Pool* pool) {
    unlink(pool);
    Arena* arena = pool->arena;
    pool->next = arena->free;
    arena->free = pool;
    if (arena->free_count++ > 0) remove(arena);
    if (arena->free_count == arena->total) {
      xfree(arena->base, kArenaBytes);
      xfree(arena, sizeof(Arena));
      --arena_count;
    } else {
      insert(arena);
    }
  }

  Pool* partly_used_ = nullptr;
  Arena* usable_ = nullptr;  // arenas with a free pool
};

}  // namespace workload
