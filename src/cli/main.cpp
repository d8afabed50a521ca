#include "base/inherited.h"
#include "base/log.h"
#include "cli/command.h"

int main(int argc, char** argv) {
  memswell::put_inherited_right();
  const auto exit_code = memswell::cli::dispatch({argv + (argc > 0 ? 1 : 0), argv + argc});
  if (exit_code) return *exit_code;
  memswell::log::error(exit_code.error().sentence);
  return static_cast<int>(exit_code.error().exit_code);
}
