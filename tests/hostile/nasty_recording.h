// A small, sound recording of a program that does everything once, in which every text is `text`: who recorded it chose
// each of them.
#pragma once

#include <string>

namespace memswell::hostile {

// Acts on terminals, parsers, shells, browsers, spreadsheets and readers' eyes.
extern const std::string kNasty;

std::string recording_with(const std::string& text);

}  // namespace memswell::hostile
