// Recordings made by hand: chunks whose headers and checksums are right whatever the contents are. Random damage alone
// never gets behind a checksum; a person's does.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/recording_format.h"
#include "trace/recording_writer.h"

namespace memswell::hostile {

using Columns = std::array<std::vector<std::uint8_t>, trace::disk::kColumns>;

std::string sealed(std::span<const Columns> chunks);
std::vector<Columns> columns_of(std::string_view recording);

// The same as flat bytes and back, for fuzzers: for each chunk the lengths of its columns, two bytes each, then the
// columns. Every byte string means something.
std::string flat(std::span<const Columns> chunks);
std::vector<Columns> columns_of_flat(std::string_view bytes);

// `bytes` with every header made plausible and every checksum made right, as far as they go.
std::string repaired(std::string bytes);

std::string recording_of(const std::function<void(trace::RecordingWriter&)>& record);

}  // namespace memswell::hostile
