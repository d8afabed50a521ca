// Words that findings and pulses share: how a site, a process and a moment are called in a sentence.
#pragma once

#include <string>

#include "analysis/model.h"

namespace memswell::analysis {

// "parse_object (json.c:120)", "parse_object (libjson.so)", "libjson.so+0x1f20", "code outside of any module".
std::string site_words(const Site& site);

// "in phase \"load\"", or "at 2.4 s" where phases were not announced.
std::string moment_words(const ProcessReport& process, const std::string& phase, Nanoseconds time);

// The phase of a moment; empty: none.
std::string phase_at(const ProcessReport& process, Nanoseconds time);

std::string base_name(const std::string& path);

}  // namespace memswell::analysis
