#include "child_environment.h"

#include "memory.h"

namespace memswell::probe {
namespace {

constexpr const char* kPreload = "LD_PRELOAD=";
constexpr const char* kRegion = "MEMSWELL_REGION=";
constexpr const char* kLibrary = "libmemswell.so";

bool separates(char c) { return c == ':' || c == ' '; }

// An entry of LD_PRELOAD is ours if its last component is our library's name.
bool is_ours(const char* entry, std::size_t length) {
  const std::size_t name = text_length(kLibrary);
  if (length < name || !equal_bytes(entry + length - name, kLibrary, name)) return false;
  return length == name || entry[length - name - 1] == '/';
}

std::size_t entry_length(const char* entry) {
  std::size_t n = 0;
  while (entry[n] != 0 && !separates(entry[n])) ++n;
  return n;
}

// Copies the list without our entry; returns its length.
std::size_t copy_preload(const char* list, char* to) {
  std::size_t out = 0;
  while (*list != 0) {
    const std::size_t n = entry_length(list);
    if (n > 0 && !is_ours(list, n)) {
      if (out > 0) to[out++] = ':';
      copy_bytes(to + out, list, n);
      out += n;
    }
    list += n;
    if (*list != 0) ++list;
  }
  to[out] = 0;
  return out;
}

}  // namespace

const char* value_in(char* const* environment, const char* name) {
  const std::size_t n = text_length(name);
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (starts_with(*environment, name) && (*environment)[n] == '=') return *environment + n + 1;
  }
  return nullptr;
}

bool has_preload(char* const* environment) {
  const char* list = value_in(environment, "LD_PRELOAD");
  if (list == nullptr || value_in(environment, "MEMSWELL_REGION") == nullptr) return false;
  while (*list != 0) {
    const std::size_t n = entry_length(list);
    if (is_ours(list, n)) return true;
    list += n;
    if (*list != 0) ++list;
  }
  return false;
}

std::size_t without_preload_bytes(char* const* environment) {
  std::size_t bytes = sizeof(char*);
  for (; *environment != nullptr; ++environment) {
    bytes += sizeof(char*);
    if (starts_with(*environment, kPreload)) bytes += text_length(*environment) + 1;
  }
  return bytes;
}

char** without_preload(char* const* environment, char* memory) {
  std::size_t count = 0;
  while (environment[count] != nullptr) ++count;
  auto** copy = reinterpret_cast<char**>(memory);
  char* text = memory + (count + 1) * sizeof(char*);
  std::size_t out = 0;
  for (std::size_t i = 0; i < count; ++i) {
    char* entry = environment[i];
    if (starts_with(entry, kRegion)) continue;
    if (starts_with(entry, kPreload)) {
      const std::size_t name = text_length(kPreload);
      copy_bytes(text, kPreload, name);
      const std::size_t length = copy_preload(entry + name, text + name);
      if (length == 0) continue;
      copy[out++] = text;
      text += name + length + 1;
    } else {
      copy[out++] = entry;
    }
  }
  copy[out] = nullptr;
  return copy;
}

}  // namespace memswell::probe
