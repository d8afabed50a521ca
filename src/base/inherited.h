// What a process may inherit from a strange parent and memswell cannot work with, put right once at the start; and what it
// was, for the programs that memswell starts in turn: they inherit what memswell did.
#pragma once

namespace memswell {

// A closed standard stream becomes /dev/null, closed again by exec: else a file of ours would get its number, and what is
// printed would go there. An ignored SIGCHLD becomes the default: else children vanish with their exit status.
void put_inherited_right();

// In a child, before exec.
void restore_inherited();

}  // namespace memswell
