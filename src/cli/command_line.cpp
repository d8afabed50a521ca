#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "base/units.h"
#include "report/terminal.h"

namespace memswell::cli {
namespace {

struct HelpRow {
  std::string left;
  std::string help;
};

constexpr std::size_t kHelpColumn = 28;

std::string help_row(const HelpRow& row, std::size_t width) {
  std::string out = "  " + row.left;
  if (out.size() + 2 > kHelpColumn) {
    out += "\n" + std::string(kHelpColumn, ' ');
  } else {
    out.resize(kHelpColumn, ' ');
  }
  const std::size_t room = std::max<std::size_t>(width, kHelpColumn + 20) - kHelpColumn;
  std::string text = report::wrapped(row.help, room, 0);
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(kHelpColumn, ' ');
  }
  return out + "\n";
}

// "--output" of "-o,--output".
std::string long_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

// Runs `parse` as CLI11 validates the word, so that its sentence becomes the usage error, with the option's name.
template <class Target, class Parse>
CLI::callback_t stored(const std::string& names, Target& target, Parse parse) {
  return [option = long_name(names), &target, parse](const CLI::results_t& words) {
    const auto parsed = parse(words.back());
    if (!parsed) throw CLI::ValidationError(option + ": " + parsed.error().sentence, CLI::ExitCodes::ValidationError);
    target = *parsed;
    return true;
  };
}

Result<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest == end) return number;
  return Error{fmt::format("'{}' is not a whole number", text), ExitCode::usage};
}

Result<std::uint64_t> parse_count(std::string_view text) {
  auto number = parse_number(text);
  if (number && *number == 0) return Error{"0 would be nothing; give 1 or more", ExitCode::usage};
  return number;
}

// Most often a variable of the shell that is not set.
Result<std::string> not_empty(const std::string& text) {
  if (text.empty()) return Error{"its value is empty", ExitCode::usage};
  return text;
}

Result<Nanoseconds> parse_time_span(std::string_view text) {
  auto time = parse_duration(text);
  if (time && *time == 0) return Error{fmt::format("{} is no time; give more, like 20ms", text), ExitCode::usage};
  return time;
}

}  // namespace

struct CommandLine::State {
  Usage usage;
  CLI::App app;
  std::vector<HelpRow> positionals;
  std::vector<HelpRow> options;
  std::vector<std::string>* program = nullptr;
  bool only_after_dashes = false;
  bool help = false;

  void add(const std::string& names, const std::string& label, const std::string& help_text, CLI::callback_t callback) {
    app.add_option(names, callback, help_text)->expected(1)->allow_extra_args(false)->take_last();
    options.push_back({names + " " + label, help_text});
  }
};

CommandLine::CommandLine(Usage usage) : state_(std::make_unique<State>()) {
  state_->usage = std::move(usage);
  state_->app.set_help_flag();
  flag("-h,--help", state_->help, "print this");
}

CommandLine::~CommandLine() = default;

void CommandLine::flag(const std::string& names, bool& target, const std::string& help) {
  state_->app.add_flag(names, target, help)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  state_->options.push_back({names, help});
}

void CommandLine::value(const std::string& names, const std::string& label, std::string& target,
                        const std::string& help) {
  state_->add(names, label, help, stored(names, target, not_empty));
}

void CommandLine::value(const std::string& names, const std::string& label, std::optional<std::string>& target,
                        const std::string& help) {
  state_->add(names, label, help, stored(names, target, not_empty));
}

void CommandLine::values(const std::string& names, const std::string& label, std::vector<std::string>& target,
                         const std::string& help) {
  const CLI::callback_t append = [option = long_name(names), &target](const CLI::results_t& words) {
    const bool empty = std::ranges::any_of(words, [](const std::string& word) { return word.empty(); });
    if (empty) throw CLI::ValidationError(option + ": its value is empty", CLI::ExitCodes::ValidationError);
    target.insert(target.end(), words.begin(), words.end());
    return true;
  };
  state_->app.add_option(names, append, help)->expected(1)->allow_extra_args(false)->take_all();
  state_->options.push_back({names + " " + label, help + " (may be repeated)"});
}

void CommandLine::number(const std::string& names, const std::string& label, std::uint64_t& target,
                         const std::string& help) {
  state_->add(names, label, help, stored(names, target, parse_number));
}

void CommandLine::number(const std::string& names, const std::string& label, std::optional<std::uint64_t>& target,
                         const std::string& help) {
  state_->add(names, label, help, stored(names, target, parse_number));
}

void CommandLine::count(const std::string& names, std::uint64_t& target, const std::string& help) {
  state_->add(names, "N", help, stored(names, target, parse_count));
}
void CommandLine::count(const std::string& names, std::optional<std::uint64_t>& target, const std::string& help) {
  state_->add(names, "N", help, stored(names, target, parse_count));
}
void CommandLine::size(const std::string& names, Bytes& target, const std::string& help) {
  state_->add(names, "SIZE", help, stored(names, target, parse_bytes));
}

void CommandLine::size(const std::string& names, std::optional<Bytes>& target, const std::string& help) {
  state_->add(names, "SIZE", help, stored(names, target, parse_bytes));
}

void CommandLine::duration(const std::string& names, Nanoseconds& target, const std::string& help) {
  state_->add(names, "DURATION", help, stored(names, target, parse_time_span));
}

void CommandLine::choice(const std::string& names, std::string& target, const std::vector<std::string>& choices,
                         const std::string& help) {
  const auto among = [choices](const std::string& word) -> Result<std::string> {
    if (std::find(choices.begin(), choices.end(), word) != choices.end()) return word;
    return Error{fmt::format("'{}' is none of {}", word, fmt::join(choices, ", ")), ExitCode::usage};
  };
  state_->add(names, fmt::format("{}", fmt::join(choices, "|")), help, stored(names, target, among));
}

void CommandLine::positional(const std::string& label, std::string& target, const std::string& help) {
  state_->app.add_option(label, target, help)->required();
  state_->positionals.push_back({label, help});
}

void CommandLine::optional_positional(const std::string& label, std::string& target, const std::string& help) {
  state_->app.add_option(label, target, help);
  state_->positionals.push_back({label, help});
}

void CommandLine::positionals(const std::string& label, std::vector<std::string>& target, const std::string& help) {
  state_->app.add_option(label, target, help)->required();
  state_->positionals.push_back({label + " …", help});
}

void CommandLine::optional_positionals(const std::string& label, std::vector<std::string>& target,
                                       const std::string& help) {
  state_->app.add_option(label, target, help);
  state_->positionals.push_back({label + " …", help});
}

void CommandLine::program(std::vector<std::string>& target) { state_->program = &target; }

void CommandLine::program_after_dashes(std::vector<std::string>& target) {
  state_->program = &target;
  state_->only_after_dashes = true;
}

// CLI11 would look into the program's own arguments (and take "{}" or "[a]" apart), so it never sees them.
std::size_t CommandLine::program_begin(const std::vector<std::string>& arguments) const {
  if (state_->only_after_dashes)
    return static_cast<std::size_t>(std::find(arguments.begin(), arguments.end(), "--") - arguments.begin());
  const auto takes_value = [this](const std::string& name) {
    const CLI::Option* option = state_->app.get_option_no_throw(name);
    return option != nullptr && option->get_items_expected_min() > 0;
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--" || word.size() < 2 || word[0] != '-') return i;
    if (word[1] == '-') {
      if (word.find('=') == std::string::npos && takes_value(word)) ++i;
      continue;
    }
    for (std::size_t letter = 1; letter < word.size(); ++letter) {
      if (!takes_value(std::string{'-', word[letter]})) continue;
      if (letter + 1 == word.size()) ++i;
      break;
    }
  }
  return arguments.size();
}

Result<CommandLine::Outcome> CommandLine::parse(const std::vector<std::string>& arguments) {
  std::vector<std::string> ours = arguments;
  if (state_->program != nullptr) {
    const std::size_t begin = std::min(program_begin(arguments), arguments.size());
    ours.resize(begin);
    const bool dashes = begin < arguments.size() && arguments[begin] == "--";
    state_->program->assign(arguments.begin() + static_cast<std::ptrdiff_t>(begin + (dashes ? 1 : 0)), arguments.end());
  }
  if (std::find_if(ours.begin(), ours.end(), [](const auto& w) { return w == "-h" || w == "--help"; }) != ours.end())
    return Outcome::help_wanted;
  std::reverse(ours.begin(), ours.end());  // CLI11 takes its vector from the back
  try {
    state_->app.parse(ours);
  } catch (const CLI::ParseError& error) {
    return Error{fmt::format("{}; see {} --help", error.what(), state_->usage.name), ExitCode::usage};
  }
  if (state_->program != nullptr && state_->program->empty() && !state_->only_after_dashes)
    return Error{fmt::format("no program was named; see {} --help", state_->usage.name), ExitCode::usage};
  return Outcome::parsed;
}

std::string CommandLine::help(std::size_t width) const {
  const Usage& usage = state_->usage;
  std::string out = "Examples:\n";
  for (const std::string& example : usage.examples) out += "  " + example + "\n";
  out += "\n" + report::wrapped(usage.purpose, width, 0) + "\n\nUsage: " + usage.name + " " + usage.synopsis + "\n";
  if (!state_->positionals.empty()) out += "\n";
  for (const HelpRow& row : state_->positionals) out += help_row(row, width);
  out += "\nOptions:\n";
  for (const HelpRow& row : state_->options) out += help_row(row, width);
  return out;
}

}  // namespace memswell::cli
