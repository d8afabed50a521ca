// Numbers for people: bytes in KiB/MiB/GiB (as smaps counts), durations, counts with separators; and back from options.
// Inside the program everything stays in bytes and nanoseconds; only reports and option parsing come here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace memswell {

// "0 B", "512 B", "1.0 KiB", "412.6 MiB", "8.0 GiB". One decimal, rounded half away from zero.
std::string format_bytes(Bytes bytes);

// With a sign always: "+14.0 MiB", "-512 B", "+0 B".
std::string format_signed_bytes(std::int64_t bytes);

// Just the number in MiB with one decimal, "301.4", for columns that share one unit; thousands are separated.
std::string format_mib(Bytes bytes);

// "12.4 s", "3 min 05 s", "2 h 07 min", "85 ms", "12 µs", "40 ns".
std::string format_duration(Nanoseconds time);

// "1,204,331".
std::string format_count(std::uint64_t count);

// "48.2 M", "1.3 k", "999": three figures at most, powers of 1000.
std::string format_short_count(std::uint64_t count);

// "73 %" of a whole; "<1 %" instead of 0 for a part that is not 0, "0 %" of an empty whole.
std::string format_percent(std::uint64_t part, std::uint64_t whole);

// Option values: "4096", "200MB", "64 KiB", "1.5g". MB and MiB both mean 2^20 bytes, as in all that memswell prints.
Result<Bytes> parse_bytes(std::string_view text);

// "20ms", "1.5s", "3min", "250us", "10ns", "1h". A number without a unit is none.
Result<Nanoseconds> parse_duration(std::string_view text);

}  // namespace memswell
