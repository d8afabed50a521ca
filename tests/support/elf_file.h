// What a shared library says of itself to the loader, read from the file: for tests of the finished probe.
// 64-bit little-endian ELF only; anything else throws std::runtime_error with one sentence.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <vector>

namespace memswell::tests {

class ElfFile {
 public:
  explicit ElfFile(const std::string& path);

  std::vector<std::string> needed() const;                                                   // DT_NEEDED
  std::vector<std::string> undefined_symbols() const;                                        // of .dynsym, sorted
  std::vector<std::string> exported_symbols() const;                                         // of .dynsym, sorted
  std::vector<std::string> local_functions_beginning_with(const std::string& prefix) const;  // of .symtab
  std::uint64_t constructors() const;                                                        // entries of DT_INIT_ARRAY
  std::uint64_t destructors() const;                                                         // entries of DT_FINI_ARRAY
  std::uint64_t tls_bytes() const;                                                           // PT_TLS in memory
  std::uint64_t data_bytes() const;  // of writable segments, in memory: what each process may dirty
  bool has_dynamic(std::int64_t tag) const;
  std::uint64_t dynamic_value(std::int64_t tag) const;  // 0 if absent
  bool has_executable_stack() const;

 private:
  template <class T>
  const T* at(std::uint64_t offset, std::uint64_t count = 1) const;
  const Elf64_Shdr* section(std::uint32_t type) const;
  std::string string_at(const Elf64_Shdr& strings, std::uint64_t offset) const;
  std::vector<std::string> dynamic_symbols(bool defined) const;

  std::string bytes_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Dyn> dynamic_;
};

}  // namespace memswell::tests
