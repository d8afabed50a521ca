// Settings of the kernel and libraries of the system, as files say them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memswell::smaps {

// The text of a small file without its last newline; nullopt: it is not there or may not be read.
std::optional<std::string> read_setting(const std::string& path);

// "always [madvise] never" -> "madvise"; the whole text if nothing is in brackets.
std::string chosen_in_brackets(std::string_view text);

// Where the dynamic loader would probably find a library: LD_LIBRARY_PATH, then the usual directories.
std::optional<std::string> find_library(const std::string& file_name);

// True if the environment variable is set to anything but "" and "0": switches for tests and for doubt.
bool is_switched_on(const char* variable);

}  // namespace memswell::smaps
