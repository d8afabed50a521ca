/* plugins HOW PLUGIN…: loads, uses and unloads plugins one after the other; their blocks outlive them. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "case.h"

static void* kept[4][250];

int main(int argc, char** argv) {
  const int deep = argc > 1 && is(argv[1], "deep");
  int loaded = 0, unloaded = 0;
  void* first = NULL;
  int same_address = 1;
  for (int i = 2; i < argc; i++) {
    void* library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL | (deep ? RTLD_DEEPBIND : 0));
    if (library == NULL) return puts(dlerror()), 1;
    void (*entry)(void**) = (void (*)(void**))dlsym(library, "run");
    if (first && (void*)entry != first) same_address = 0;
    first = (void*)entry;
    entry(kept[i - 2]);
    loaded++;
    unloaded += dlclose(library) == 0 && dlopen(argv[i], RTLD_NOW | RTLD_NOLOAD) == NULL;
  }
  for (int k = 0; deep && k < 250; k++) free(kept[0][k]);
  printf("loaded %d, unloaded %d%s\n", loaded, unloaded, loaded > 1 && same_address ? ", at one address" : "");
  return 0;
}
