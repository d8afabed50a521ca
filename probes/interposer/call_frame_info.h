// Reads a module's .eh_frame for one address and turns it into a step rule. No lock, no allocation, no system call:
// the module is found by the loader's lock-free _dl_find_object (glibc 2.35).
// Sources: System V ABI x86-64 psABI 3.7, LSB 5.0 ".eh_frame", DWARF 5 section 6.4.
#pragma once

#include <cstddef>
#include <cstdint>

#include "step_rule.h"

namespace memswell::probe {

struct ModuleOfPc {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t bias = 0;
  const char* path = nullptr;           // as the loader names it; empty for the executable
  const std::uint8_t* eh_frame_header = nullptr;  // PT_GNU_EH_FRAME, null if there is none
};

// False: no loaded module covers `pc`.
bool find_module(std::uintptr_t pc, ModuleOfPc& module);

// The frame description that covers `pc`; null: none.
const std::uint8_t* find_frame_description(const ModuleOfPc& module, std::uintptr_t pc);

// The rule for a frame whose pc is `pc`. For a return address pass address − 1 (the call instruction).
StepRule learn_step_rule(const ModuleOfPc& module, std::uintptr_t pc);

// Looks up what find_module needs. False: glibc before 2.35.
bool prepare_call_frame_info();

}  // namespace memswell::probe
