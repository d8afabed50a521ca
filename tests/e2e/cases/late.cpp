// Blocks made after main: in exit handlers, destructors of statics and thread-locals, and a library's destructor.
#include <cstdlib>
#include <thread>

#include "case.h"

extern "C" void* late_library_block();

SITE static void exit_handler_site() {
  for (int i = 0; i < 45; i++) free(malloc(60));
}
SITE static void static_destructor_site() {
  for (int i = 0; i < 55; i++) delete[] new char[61];
}
SITE static void thread_local_destructor_site() {
  for (int i = 0; i < 65; i++) free(calloc(1, 62));
}

struct AtEnd {
  void* kept = malloc(63);
  ~AtEnd() {
    free(kept);
    static_destructor_site();
  }
};
static AtEnd at_end;

struct AtThreadEnd {
  ~AtThreadEnd() { thread_local_destructor_site(); }
  int touched = 0;
};
static thread_local AtThreadEnd at_thread_end;

int main() {
  free(late_library_block());
  std::atexit([] { exit_handler_site(); });
  std::thread([] { at_thread_end.touched = 1; }).join();
  say("main is over\n");
  std::exit(31);
}
