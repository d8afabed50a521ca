// AddressSanitizer as fuzzing wants it: each run allocates the reader's tables anew, and a quarantine of 256 MiB would
// have them come from fresh pages each time. That is what made fuzzing slow.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=4:allocator_release_to_os_interval_ms=-1:malloc_context_size=8:max_malloc_fill_size=0";
}
