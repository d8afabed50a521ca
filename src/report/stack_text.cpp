#include "report/stack_text.h"

#include <algorithm>

#include "report/site_text.h"

namespace memswell::report {
namespace {

// Calls visit(frame, level) innermost first. Ends at the first id that the table does not know.
template <class Visit>
void walk(const analysis::StackTable& stacks, StackId stack, Visit visit) {
  while (stack.value != 0 && stack.value < stacks.stacks.size()) {
    const analysis::StackEntry& entry = stacks.stacks[stack.value];
    const analysis::NamedFrame& frame = stacks.frames[entry.frame];
    for (std::size_t level = 0; level < frame.levels.size(); ++level) visit(frame, level);
    if (entry.parent.value >= stack.value) return;  // parents come first: ids fall towards the outermost
    stack = entry.parent;
  }
}

}  // namespace

std::string stack_text(const analysis::StackTable& stacks, StackId stack, const Terminal& terminal, std::size_t indent) {
  std::string out;
  walk(stacks, stack, [&](const analysis::NamedFrame& frame, std::size_t level) {
    const std::string line = frame_text(frame, level);
    out += std::string(indent, ' ') + terminal.paint(frame.plumbing ? Colour::faint : Colour::plain, line) + "\n";
  });
  return out;
}

std::vector<std::string> stack_names(const analysis::StackTable& stacks, StackId stack) {
  std::vector<std::string> names;
  bool in_plumbing = true;
  walk(stacks, stack, [&](const analysis::NamedFrame& frame, std::size_t level) {
    in_plumbing = in_plumbing && frame.plumbing;
    if (!in_plumbing) names.push_back(frame_name(frame, level));
  });
  std::reverse(names.begin(), names.end());
  return names;
}

}  // namespace memswell::report
