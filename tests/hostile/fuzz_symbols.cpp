// A module's file: build-id, symbol tables, linkage table, DWARF; and a cached table of names.
#include "probes/smaps/elf_file.h"
#include "symbols/build_id.h"
#include "symbols/module_reader.h"
#include "symbols/name_table.h"
#include "tests/hostile/memory_file.h"
#include "tests/hostile/target.h"

using namespace memswell;
using namespace memswell::hostile;

namespace {

void expect_same_after_a_round_trip(const symbols::NameTable& table) {
  const std::string bytes = table.encode();
  const auto again = symbols::NameTable::decode(bytes);
  expect(again.has_value() && again->encode() == bytes, "a table of names is read as it was written");
}

std::vector<Address> addresses_to_ask() {
  std::vector<Address> all;
  for (Address address = 0x100; address < 0x1400; address += 7) all.push_back(address);
  all.push_back(UINT64_MAX);
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(text_of(data, size));
  (void)smaps::read_elf_facts(file.path(), {"malloc", "main"});
  static const std::vector<Address> kAddresses = addresses_to_ask();
  const symbols::NameTable names = symbols::read_names({.path = file.path(),
                                                        .build_id = {},
                                                        .addresses = kAddresses,
                                                        .search = {.directories = {}, .debuginfod = false},
                                                        .depth = symbols::ReadDepth::debug_info});
  expect(names.size() == kAddresses.size() || !names.note.empty(), "a file that gives no names says why");
  expect_same_after_a_round_trip(names);
  (void)symbols::NameTable::decode(text_of(data, size));
  return 0;
}
