/* memswell.h: tell memswell what your program is doing. C and C++, no library to link.
 *
 * Every function is a weak symbol that exists only while memswell records the program; without it the calls below do
 * nothing, at the cost of one test. They are looked up with dlsym(RTLD_DEFAULT): a plain weak reference stays null
 * for ever in a -fno-pie executable.
 *
 *   memswell_phase("load");            ends the phase before and begins "load"
 *   memswell_mark_value("rows", n);    puts a number of your own on the timeline
 *   memswell_used(p, n);               n bytes of the block p hold data; the rest is overallocated
 *   memswell_pool_free(p, n);          n bytes at p went onto your own free list (they stay allocated for malloc)
 *   memswell_pool_alloc(p, n);         and were taken from it again
 *
 * From Python:  ctypes.CDLL(None).memswell_phase(b"load")     From a shell:  memswell mark load
 */
#ifndef MEMSWELL_MEMSWELL_H
#define MEMSWELL_MEMSWELL_H

#include <stddef.h>

#ifdef __cplusplus
#include <dlfcn.h>
extern "C" {
#else
#include <dlfcn.h>
#endif

/* dlsym(RTLD_DEFAULT, …) without asking for _GNU_SOURCE. */
static inline void *memswell_find_(const char *name) { return dlsym((void *)0, name); }

#define MEMSWELL_CALL_(type, name, arguments)                                                  \
	do {                                                                                   \
		static int looked_;                                                            \
		static type found_;                                                            \
		if (!looked_) {                                                                \
			*(void **)&found_ = memswell_find_(name);                              \
			looked_ = 1;                                                           \
		}                                                                              \
		if (found_) found_ arguments;                                                  \
	} while (0)

typedef void (*memswell_phase_fn_)(const char *);
typedef void (*memswell_mark_value_fn_)(const char *, long long);
typedef void (*memswell_block_fn_)(const void *, size_t);

static inline void memswell_phase_(const char *name) { MEMSWELL_CALL_(memswell_phase_fn_, "memswell_phase", (name)); }
static inline void memswell_mark_value_(const char *name, long long value)
{
	MEMSWELL_CALL_(memswell_mark_value_fn_, "memswell_mark_value", (name, value));
}
static inline void memswell_used_(const void *p, size_t n) { MEMSWELL_CALL_(memswell_block_fn_, "memswell_used", (p, n)); }
static inline void memswell_pool_free_(const void *p, size_t n)
{
	MEMSWELL_CALL_(memswell_block_fn_, "memswell_pool_free", (p, n));
}
static inline void memswell_pool_alloc_(const void *p, size_t n)
{
	MEMSWELL_CALL_(memswell_block_fn_, "memswell_pool_alloc", (p, n));
}

#ifdef __cplusplus
}
#endif

/* The names to use. They are macros so that they can stand beside the real symbols. */
#ifndef MEMSWELL_NO_MACROS
#define memswell_phase(name) memswell_phase_(name)
#define memswell_mark_value(name, value) memswell_mark_value_(name, value)
#define memswell_used(p, n) memswell_used_(p, n)
#define memswell_pool_free(p, n) memswell_pool_free_(p, n)
#define memswell_pool_alloc(p, n) memswell_pool_alloc_(p, n)
#endif

#endif
