// Numbers as a person reads them. Sizes are KiB, MiB, GiB (powers of 1024), so that they match smaps.
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"

namespace memswell::report {

std::string size_text(Bytes bytes);                // "412.6 MiB", "17.0 KiB", "512 B"
std::string signed_size_text(std::int64_t bytes);  // "+14.0 MiB", "-3.0 KiB", "0 B"
std::string mebibytes_text(Bytes bytes);           // "412.6": for columns headed MiB; "0.02" below 0.05
std::string count_text(std::uint64_t count);       // "1,204,331"
std::string short_count_text(std::uint64_t count); // "48.2 M", "1.2 k", "999"
std::string duration_text(Nanoseconds time);       // "12.4 s", "250 ms", "3 min 05 s", "2 h 10 min"
std::string percent_text(std::uint64_t part, std::uint64_t whole);  // "73 %"; "" if whole is 0

}  // namespace memswell::report
