// Who wrote a line of the program's output (--phase-on)? A pipe does not say, and a program shares it with its children.
#pragma once

#include <cstdint>

#include "capture/image_table.h"

namespace memswell::capture {

// The process that has most probably written it: of those that hold the pipe as stdout or stderr the one that has written
// most since the last line that was asked for, else the one that began last, since its ancestors wait. Null: none does.
Image* writer_of_pipe(const ImageTable& images, std::uint64_t inode);

}  // namespace memswell::capture
