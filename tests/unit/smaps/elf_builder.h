// The bytes of small ELF executables, for tests of what is read from them. They have segments and tables, but no code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memswell::smaps::test {

struct ElfSpec {
  std::string interpreter = "/lib64/ld-linux-x86-64.so.2";  // empty: none
  std::vector<std::string> needed = {"libc.so.6"};
  std::string soname;
  std::vector<std::string> exported;  // functions in .dynsym that are defined here
  std::vector<std::string> imported;  // in .dynsym, undefined
  std::vector<std::string> defined;   // functions in .symtab
  bool is_64_bit = true;
  std::uint16_t machine = 0;  // 0: this one
};

std::string build_elf(const ElfSpec& spec);

}  // namespace memswell::smaps::test
