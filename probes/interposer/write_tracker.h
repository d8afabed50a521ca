// Lets the recorder see which pages this process writes (memswell run --idle).
#pragma once

namespace memswell::probe {

// Makes a userfaultfd with asynchronous write protection for this address space (Linux 6.7; unprivileged, as it asks for
// faults in user mode only) and hands it to the recorder, which registers memory with it. Nothing is left open here; when
// the recorder closes it all is as before. Does nothing if the run does not want it, the kernel cannot, or in a sandbox.
void offer_write_tracker();

}  // namespace memswell::probe
