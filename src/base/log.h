// memswell's own talk, on stderr, each line with "memswell: " in front. Silenced by -q.
#pragma once

#include <string_view>

namespace memswell::log {

enum class Level { quiet, normal, verbose };

void set_level(Level level);
void note(std::string_view line);     // what the user should know; printed unless quiet
void warning(std::string_view line);  // printed unless quiet
void error(std::string_view line);    // always printed
void detail(std::string_view line);   // only when verbose

}  // namespace memswell::log
