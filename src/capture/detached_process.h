// A child of memswell that must outlive it without being in anybody's way: the recorder, the pump of the output.
#pragma once

#include <vector>

namespace memswell::capture {

enum class StandardStreams { keep, leave };

// Leaves the caller's session, ignores what terminals and users send to the program, closes every descriptor but `kept`
// and the standard streams (somebody may wait for their end), and with StandardStreams::leave puts /dev/null in their
// place. `name` is what ps shows, 15 bytes at most.
void detach_process(const char* name, std::vector<int> kept, StandardStreams streams);

}  // namespace memswell::capture
