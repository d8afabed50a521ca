// Which file will run when a command is started: the search through PATH as execvp(3) makes it, and the interpreters of
// `#!` scripts as the kernel follows them (execve(2), fs/binfmt_script.c).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace memswell::smaps {

// A name with a slash is the path; else the directories of `search_path` (PATH's value; nullopt: not set) are tried in
// order. Errors carry the exit codes of a shell: 127 not found, 126 found but not executable.
Result<std::string> find_program(std::string_view name, std::optional<std::string_view> search_path);

struct ScriptLine {
  std::string interpreter;
  std::string argument;  // all the rest of the line as one, blanks at its ends taken off; may be empty
  friend bool operator==(const ScriptLine&, const ScriptLine&) = default;
};

// The first line of a script, given the first bytes of a file. The kernel looks at 256 bytes. nullopt: no script.
std::optional<ScriptLine> parse_script_line(std::string_view head);

struct ProgramImage {
  std::string path;                  // the file that the kernel loads at last
  std::vector<std::string> scripts;  // what led to it, the program itself first; empty if it is no script
};

// Follows `path` through its interpreters, five deep as the kernel. A file that is neither ELF nor script counts as one
// for /bin/sh, as execvp(3) and shells treat it. `/usr/bin/env python3` ends at env: python3 is its later exec.
Result<ProgramImage> follow_scripts(const std::string& path);

}  // namespace memswell::smaps
