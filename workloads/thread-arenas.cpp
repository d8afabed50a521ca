// thread-arenas: eight threads hold 16 MiB of small blocks each. glibc gives each thread an arena of its own: 64 MiB of
// address space, and its memory returns when the thread frees it. With one arena for all (arenas=1) the blocks of all
// threads lie in one heap; each thread keeps the seven blocks that it freed first for itself, and those pin what lies
// below them until the thread ends.
//
// threads=8 blocks=16384 size=1000 (a thread)   arenas=0 (glibc's default)|1   The threads work in turn, and take half of
// their blocks at a time, so that the heap looks the same in every run.
#include <pthread.h>
#include <semaphore.h>

#include "common.h"

using namespace workload;

namespace {

enum class Task { start, hold, free, exit };

struct Worker {
  pthread_t thread;
  sem_t go, done;
  Task task;
  void** blocks;
  std::uint64_t begin, end;
  std::size_t size;
};

[[gnu::noinline]] void hold(Worker& worker) {
  for (std::uint64_t i = worker.begin; i < worker.end; ++i) {
    worker.blocks[i] = std::memset(checked(keep(std::malloc(worker.size)), worker.size), 1, worker.size);
  }
}

void* work(void* argument) {
  Worker& worker = *static_cast<Worker*>(argument);
  for (;;) {
    while (sem_wait(&worker.go) != 0) continue;
    const Task task = worker.task;  // the next one may be there as soon as this one is done
    if (task == Task::hold) hold(worker);
    for (std::uint64_t i = worker.begin; task == Task::free && i < worker.end; ++i) std::free(worker.blocks[i]);
    sem_post(&worker.done);
    if (task == Task::exit) return nullptr;
  }
}

void give_task(Worker& worker, Task task, std::uint64_t begin, std::uint64_t end) {
  worker.task = task;
  worker.begin = begin;
  worker.end = end;
  sem_post(&worker.go);
  while (sem_wait(&worker.done) != 0) continue;
}

void start(Worker& worker, std::uint64_t blocks, std::size_t size) {
  sem_init(&worker.go, 0, 0);
  sem_init(&worker.done, 0, 0);
  worker.blocks = map_anonymous<void*>(blocks);
  worker.size = size;
  if (pthread_create(&worker.thread, nullptr, work, &worker) != 0) give_up("a thread", 8 << 20);
  give_task(worker, Task::start, 0, 0);
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::uint64_t threads = options.number("threads", 8, 1, 1000);
  const std::uint64_t blocks = options.number("blocks", 16'384, 2, 100'000'000) / 2 * 2;
  const std::size_t size = options.number("size", 1000, 1, 1 << 20);
  const std::uint64_t arenas = options.number("arenas", 0, 0, 1000);
  options.done();
  if (arenas != 0) ::mallopt(M_ARENA_MAX, static_cast<int>(arenas));

  Worker* workers = map_anonymous<Worker>(threads);
  for (std::uint64_t i = 0; i < threads; ++i) start(workers[i], blocks, size);
  phase("base");
  phase("hold");
  for (std::uint64_t i = 0; i < threads; ++i) give_task(workers[i], Task::hold, 0, blocks / 2);
  for (std::uint64_t i = 0; i < threads; ++i) give_task(workers[i], Task::hold, blocks / 2, blocks);
  tally.allocated(size, threads * blocks);
  phase("free");
  for (std::uint64_t i = 0; i < threads; ++i) give_task(workers[i], Task::free, 0, blocks);
  tally.freed(size, threads * blocks);
  phase("exit");
  for (std::uint64_t i = 0; i < threads; ++i) {
    give_task(workers[i], Task::exit, 0, 0);
    pthread_join(workers[i].thread, nullptr);
  }
  return finish(argc, argv);
}
