// The build-id of an ELF file: the linker's hash of what it linked (NT_GNU_BUILD_ID, ld(1) --build-id).
// Reads the program headers itself, with every length checked, so that files of unknown state can be asked safely.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace memswell::symbols {

using BuildId = std::vector<std::uint8_t>;

// Empty: none, or `fd` is no ELF file of this machine's byte order.
BuildId read_build_id(int fd);

std::string hex(std::span<const std::uint8_t> bytes);

}  // namespace memswell::symbols
