// What this kernel, user and machine allow for measuring memory, each tried on the own process or a child of it, and
// what memswell uses where something is missing. `memswell doctor` prints it.
#pragma once

#include <string>
#include <vector>

namespace memswell::smaps {

enum class AbilityState {
  available,
  missing,      // memswell uses something else, at the price that `consequence` names
  information,  // neither good nor bad: a setting that explains figures
};

struct Ability {
  std::string name;  // "PAGEMAP_SCAN"
  AbilityState state = AbilityState::information;
  std::string found;        // what was found, in a few words: "works", "Linux 6.1 does not know it"
  std::string consequence;  // one sentence: what memswell does with it or instead, and what that costs in exactness
};

// Tries everything; takes about 20 ms, forks three short-lived children, changes nothing outside of the own process.
std::vector<Ability> find_abilities();

// Both that --idle needs: asynchronous write protection and PAGEMAP_SCAN (Linux 6.7). MEMSWELL_NO_USERFAULTFD=1 in the
// environment switches it off.
bool write_tracking_available();

}  // namespace memswell::smaps
