// How an image finds the region: a socket named in the environment hands out its descriptor (src/capture/README.md).
#pragma once

#include <cstdint>

namespace memswell::probe {

// The value of `name` in the environment that the kernel gave this image. Works before libc has set up environ.
const char* initial_environment(const char* name);

// An entry of the auxiliary vector (getauxval(3)), 0 if it is not there.
std::uintptr_t initial_auxiliary(std::uintptr_t type);

// A descriptor of the region, or a negative number. `address` is the value of MEMSWELL_REGION. Waits two seconds at most.
int receive_region(const char* address);

// Hands `descriptor` to the recorder, for the process in `slot` of the region. Does not wait. False: it cannot be reached.
bool send_descriptor(const char* address, int descriptor, std::uint32_t slot);

}  // namespace memswell::probe
