// The options of a workload: name=value on the command line. Each is asked for once, with its default; then done()
// refuses what nobody asked for. Sizes may end in KiB, MiB or GiB. No heap.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "common/text.h"

namespace workload {

class Options {
 public:
  Options(int argc, char** argv) : count_(argc < kMost ? argc : kMost), arguments_(argv) {
    const char* slash = std::strrchr(argv[0], '/');
    program_name() = slash != nullptr ? slash + 1 : argv[0];
  }

  static const char*& program_name() {
    static const char* name = "";
    return name;
  }

  // One of the words in `choices` (separated by spaces); the first is the default.
  const char* word(const char* name, const char* choices) {
    const char* given = find(name, choices);
    if (given == nullptr) return first_word(choices);
    if (!has_word(choices, given)) refuse(name, given, choices);
    return given;
  }

  std::uint64_t number(const char* name, std::uint64_t standard) {
    const char* given = find(name, "a number");
    if (given == nullptr) return standard;
    char* end = nullptr;
    std::uint64_t value = std::strtoull(given, &end, 10);
    if (std::strcmp(end, "KiB") == 0) value <<= 10;
    else if (std::strcmp(end, "MiB") == 0) value <<= 20;
    else if (std::strcmp(end, "GiB") == 0) value <<= 30;
    else if (*end != '\0' || end == given) refuse(name, given, "a number, or a size as 16MiB");
    return value;
  }

  bool flag(const char* name) { return number(name, 0) != 0; }

  const char* text(const char* name, const char* standard) {
    const char* given = find(name, "text");
    return given != nullptr ? given : standard;
  }

  // Ends the program with status 2 if an argument was never asked for.
  void done() const {
    for (int i = 1; i < count_; ++i) {
      if (!used_[i]) refuse(arguments_[i], "", known_.c_str());
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
    for (const char* at = choices; (at = std::strstr(at, word)) != nullptr; at += length) {
      const bool begins = at == choices || at[-1] == ' ';
      if (length > 0 && begins && (at[length] == ' ' || at[length] == '\0')) return true;
    }
    return false;
  }

  [[noreturn]] static void refuse(const char* name, const char* value, const char* wanted) {
    static Text<2048> line;
    line.add(program_name()).add(": ").add(name).add(*value != '\0' ? "=" : "").add(value);
    line.add(" is not an option; known: ").add(wanted).add("\n");
    line.write_to(2);
    std::_Exit(2);
  }

  int count_;
  char** arguments_;
  bool used_[kMost] = {};
  Text<1024> known_;
};

inline bool is(const char* word, const char* other) { return std::strcmp(word, other) == 0; }

}  // namespace workload
