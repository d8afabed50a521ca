// The hooks are the only symbols that the program can see.
#pragma once

#define MEMSWELL_EXPORT extern "C" [[gnu::visibility("default")]]
