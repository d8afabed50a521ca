#include "tests/support/function_lengths.h"

#include <cctype>
#include <cstddef>
#include <regex>

namespace memswell::tests {
namespace {

// Copies `text` and blanks everything that is not code, one construct after the other.
class Blanker {
 public:
  explicit Blanker(const std::string& text) : text_(text), out_(text) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return out_;
  }

 private:
  void step() {
    if (line_begins_ && preprocessor()) return blank_directive();
    if (starts("//")) return blank_until("\n", 0);
    if (starts("/*")) return blank_until("*/", 2);
    if (starts("R\"")) return blank_raw_string();
    const char c = text_[at_];
    if (c == '"' || (c == '\'' && !inside_number())) return blank_quoted(c);
    line_begins_ = c == '\n' || (line_begins_ && std::isspace(static_cast<unsigned char>(c)) != 0);
    ++at_;
  }

  bool starts(const char* what) const { return text_.compare(at_, std::char_traits<char>::length(what), what) == 0; }
  bool preprocessor() const { return text_[at_] == '#'; }
  // 1'000'000: the mark between digits is no character literal.
  bool inside_number() const { return at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0; }

  void blank(std::size_t end) {
    for (; at_ < end && at_ < text_.size(); ++at_) {
      if (text_[at_] != '\n') out_[at_] = ' ';
    }
  }
  void blank_until(const char* closing, std::size_t closing_length) {
    const std::size_t end = text_.find(closing, at_ + closing_length);
    blank(end == std::string::npos ? text_.size() : end + closing_length);
  }
  void blank_directive() {
    std::size_t end = text_.find('\n', at_);
    while (end != std::string::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
    blank(end == std::string::npos ? text_.size() : end);
  }
  void blank_raw_string() {
    const std::size_t open = text_.find('(', at_);
    const std::string closing = ")" + text_.substr(at_ + 2, open - at_ - 2) + "\"";
    blank(text_.find(closing, open) + closing.size());
  }
  void blank_quoted(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2U : 1U;
    blank(end + 1);
    line_begins_ = false;
  }

  const std::string& text_;
  std::string out_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
};

enum class BraceKind { container, function, data, member };

BraceKind kind_of(const std::string& head) {
  static const std::regex kContainer(R"(^\s*(template\s*<.*>\s*)?((inline|static|typedef|const)\s+)*)"
                                     R"((namespace|class|struct|union|enum|extern\s*)\b[^()]*(\(.*\)[^()]*)?$)");
  static const std::regex kFunctionEnd(R"([\s\S]*(\)|\bconst|\bnoexcept|\boverride|\bfinal|\bmutable)\s*$)");
  if (!std::regex_match(head, kFunctionEnd) && std::regex_match(head, kContainer)) return BraceKind::container;
  if (head.find('=') != std::string::npos && head.find('(') == std::string::npos) return BraceKind::data;
  return head.find(')') != std::string::npos ? BraceKind::function : BraceKind::data;
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

class Counter {
 public:
  explicit Counter(std::string code) : code_(std::move(code)) {}

  std::vector<FunctionLength> run() {
    for (at_ = 0; at_ < code_.size(); ++at_) step(code_[at_]);
    return std::move(found_);
  }

 private:
  void step(char c) {
    if (c == '\n') ++line_;
    if (c == '{') return open();
    if (c == '}') return close();
    if (body_depth_ > 0) return;
    if (c == ';') return begin_head();
    if (head_.empty() && std::isspace(static_cast<unsigned char>(c)) != 0) return;
    if (head_.empty()) head_line_ = line_;
    head_ += c;
  }
  void open() {
    if (body_depth_ == 0) {
      // clang-format puts a space before every body: a brace without one initialises a member and the head goes on.
      const bool initialises = at_ > 0 && std::isspace(static_cast<unsigned char>(code_[at_ - 1])) == 0;
      kind_ = initialises ? BraceKind::member : kind_of(one_line(head_));
      if (kind_ == BraceKind::container) return begin_head();
    }
    ++body_depth_;
  }
  void close() {
    if (body_depth_ == 0) return begin_head();  // end of a container
    if (--body_depth_ > 0 || kind_ == BraceKind::member) return;
    if (kind_ == BraceKind::function) found_.push_back({one_line(head_), head_line_, line_ - head_line_ + 1});
    begin_head();
  }
  void begin_head() {
    head_.clear();
    head_line_ = line_;
  }

  std::string code_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::string head_;
  int head_line_ = 1;
  int body_depth_ = 0;
  BraceKind kind_ = BraceKind::data;
  std::vector<FunctionLength> found_;
};

}  // namespace

std::string code_only(const std::string& text) { return Blanker(text).run(); }

std::vector<FunctionLength> function_lengths(const std::string& text) { return Counter(code_only(text)).run(); }

}  // namespace memswell::tests
