/* Built several times with other names for the site and other storage: same code, so the loader reuses the address. */
#include "case.h"

#ifdef STATIC_TLS
static __thread int counter __attribute__((tls_model("initial-exec")));
#define COUNT counter++
#else
#define COUNT (void)0
#endif

SITE void PLUGIN_SITE(void** out) {
  for (int i = 0; i < 250; i++) out[i] = malloc(104), COUNT;
}
void run(void** out) { PLUGIN_SITE(out); }
