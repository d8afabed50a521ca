// Whether a sanitizer watches: it reserves terabytes, so that limits of memory do not hold, and takes many times as long.
// gcc says so with macros, clang 14 with a feature test only.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMSWELL_UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MEMSWELL_UNDER_SANITIZER 1
#endif
#endif

namespace memswell {

#ifdef MEMSWELL_UNDER_SANITIZER
inline constexpr bool kUnderSanitizer = true;
#else
inline constexpr bool kUnderSanitizer = false;
#endif

}  // namespace memswell
