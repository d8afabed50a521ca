// Byte loops of our own: memcpy and friends are symbols of the program's libc and may be interposed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memswell::probe {

void copy_bytes(void* to, const void* from, std::size_t n);
void zero_bytes(void* to, std::size_t n);
bool equal_bytes(const void* a, const void* b, std::size_t n);
std::size_t text_length(const char* text);
bool equal_text(const char* a, const char* b);
bool starts_with(const char* text, const char* prefix);

}  // namespace memswell::probe
