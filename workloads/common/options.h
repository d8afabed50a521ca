// The options of a workload: name=value on the command line. Each is asked for once, with its default and the range in
// which the workload makes sense; then done() refuses what nobody asked for. Sizes may end in K, M, G or T, KiB or KB, as
// everywhere in memswell powers of 1024. No heap.
#pragma once

#include <strings.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "common/give_up.h"

namespace workload {

inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;  // of one block: no machine gives more

class Options {
 public:
  Options(int argc, char** argv) : count_(argc < kMost ? argc : kMost), arguments_(argv) {
    const char* slash = std::strrchr(argv[0], '/');
    program_name() = slash != nullptr ? slash + 1 : argv[0];
  }

  // One of the words in `choices` (separated by spaces); the first is the default.
  const char* word(const char* name, const char* choices) {
    const char* given = find(name, choices);
    if (given == nullptr) return first_word(choices);
    if (!has_word(choices, given)) refuse_word(name, given, choices);
    return given;
  }

  std::uint64_t number(const char* name, std::uint64_t standard, std::uint64_t least, std::uint64_t most) {
    const char* given = find(name, "a number");
    if (given == nullptr) return standard;
    std::uint64_t value = 0;
    if (!parse(given, value) || value < least || value > most) refuse_number(name, given, least, most);
    return value;
  }

  bool flag(const char* name) { return number(name, 0, 0, 1) != 0; }

  const char* text(const char* name, const char* standard) {
    const char* given = find(name, "text");
    return given != nullptr ? given : standard;
  }

  // Ends the program with status 2 if an argument was never asked for.
  void done() const {
    for (int i = 1; i < count_; ++i) {
      if (used_[i]) continue;
      static Text<2048> line;
      line.add(program_name()).add(": ").add(arguments_[i]).add(" is no option of it; known:").add(known_.c_str());
      end(line);
    }
  }

 private:
  static constexpr int kMost = 32;

  const char* find(const char* name, const char* values) {
    known_.add(" ").add(name).add("=<").add(values).add(">");
    const std::size_t length = std::strlen(name);
    const char* found = nullptr;
    for (int i = 1; i < count_; ++i) {
      if (std::strncmp(arguments_[i], name, length) == 0 && arguments_[i][length] == '=') {
        used_[i] = true;
        found = arguments_[i] + length + 1;
      }
    }
    return found;
  }

  // The default is the first word, wherever the list came from: kept in a place of its own, cut at the space.
  static const char* first_word(const char* choices) {
    static char words[8][32];
    static int used = 0;
    char* word = words[used++ % 8];
    std::size_t i = 0;
    for (; choices[i] != '\0' && choices[i] != ' ' && i < 31; ++i) word[i] = choices[i];
    word[i] = '\0';
    return word;
  }

  static bool has_word(const char* choices, const char* word) {
    const std::size_t length = std::strlen(word);
    if (length == 0) return false;
    for (const char* at = choices; (at = std::strstr(at, word)) != nullptr; at += length) {
      const bool begins = at == choices || at[-1] == ' ';
      if (begins && (at[length] == ' ' || at[length] == '\0')) return true;
    }
    return false;
  }

  // Digits and a unit, nothing else; false also for what 64 bits cannot hold.
  static bool parse(const char* text, std::uint64_t& value) {
    for (; *text >= '0' && *text <= '9'; ++text) {
      const std::uint64_t digit = static_cast<std::uint64_t>(*text - '0');
      if (value > (UINT64_MAX - digit) / 10) return false;
      value = value * 10 + digit;
      if (text[1] == '\0') return true;
    }
    const char letter = static_cast<char>(*text & ~0x20);  // either case
    const char* unit = letter != '\0' ? std::strchr("KMGT", letter) : nullptr;
    if (unit == nullptr || text[-1] < '0' || text[-1] > '9') return false;
    const char* rest = text + 1;
    if (*rest != '\0' && strcasecmp(rest, "B") != 0 && strcasecmp(rest, "iB") != 0) return false;
    const unsigned shift = *unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 40;
    if (value > UINT64_MAX >> shift) return false;
    value <<= shift;
    return true;
  }

  [[noreturn]] static void refuse_number(const char* name, const char* value, std::uint64_t least, std::uint64_t most) {
    Text<512> line = refusal(name, value);
    line.add("give a whole number from ").add(least).add(" to ").add(most);
    if (most >= 1 << 20) line.add(", or a size such as 16MiB");
    end(line);
  }

  [[noreturn]] static void refuse_word(const char* name, const char* value, const char* choices) {
    Text<512> line = refusal(name, value);
    end(line.add("give one of ").add(choices));
  }

  static Text<512> refusal(const char* name, const char* value) {
    Text<512> line;
    line.add(program_name()).add(": ").add(name).add("=").add(value).add(" cannot be: ");
    return line;
  }

  template <std::size_t kCapacity>
  [[noreturn]] static void end(Text<kCapacity>& line) {
    line.add("\n").write_to(2);
    std::_Exit(2);
  }

  int count_;
  char** arguments_;
  bool used_[kMost] = {};
  Text<1024> known_;
};

inline bool is(const char* word, const char* other) { return std::strcmp(word, other) == 0; }

}  // namespace workload
