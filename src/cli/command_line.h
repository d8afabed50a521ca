// Options of one subcommand. A thin cover over CLI11, so that one file compiles it and a subcommand reads as a table:
//
//   line.value("-o,--output", "FILE", options->output, "write the recording there");
//   line.program(options->command);       // PROG and everything after it, untouched
//
// Values are written when parse() succeeds; no value may be empty, and no duration 0. The variables must outlive the CommandLine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace memswell::cli {

struct Usage {
  std::string name;      // "memswell run"
  std::string synopsis;  // "[OPTIONS] [--] PROG [ARGUMENTS]"
  std::string purpose;   // one or more sentences
  std::vector<std::string> examples;  // three, "command   # what it does"
};

class CommandLine {
 public:
  explicit CommandLine(Usage usage);
  ~CommandLine();

  void flag(const std::string& names, bool& target, const std::string& help);
  void value(const std::string& names, const std::string& label, std::string& target, const std::string& help);
  void value(const std::string& names, const std::string& label, std::optional<std::string>& target,
             const std::string& help);
  void values(const std::string& names, const std::string& label, std::vector<std::string>& target,
              const std::string& help);
  void number(const std::string& names, const std::string& label, std::uint64_t& target, const std::string& help);
  void number(const std::string& names, const std::string& label, std::optional<std::uint64_t>& target,
              const std::string& help);
  void count(const std::string& names, std::uint64_t& target, const std::string& help);  // 1 or more
  void count(const std::string& names, std::optional<std::uint64_t>& target, const std::string& help);
  void size(const std::string& names, Bytes& target, const std::string& help);
  void size(const std::string& names, std::optional<Bytes>& target, const std::string& help);
  void duration(const std::string& names, Nanoseconds& target, const std::string& help);
  void choice(const std::string& names, std::string& target, const std::vector<std::string>& choices,
              const std::string& help);

  void positional(const std::string& label, std::string& target, const std::string& help);
  void optional_positional(const std::string& label, std::string& target, const std::string& help);
  void positionals(const std::string& label, std::vector<std::string>& target, const std::string& help);
  void optional_positionals(const std::string& label, std::vector<std::string>& target, const std::string& help);

  // The first argument that is no option of ours, or what follows "--", begins the program; nothing of it is looked at.
  void program(std::vector<std::string>& target);

  // Only what follows "--" is the program; it may be left out.
  void program_after_dashes(std::vector<std::string>& target);

  enum class Outcome { parsed, help_wanted };

  // Errors (usage): one sentence. `arguments` are those after the subcommand's name.
  Result<Outcome> parse(const std::vector<std::string>& arguments);

  // Begins with the examples.
  std::string help(std::size_t width) const;

 private:
  struct State;
  std::size_t program_begin(const std::vector<std::string>& arguments) const;

  std::unique_ptr<State> state_;
};

}  // namespace memswell::cli
