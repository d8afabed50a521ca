// Writes JSON (RFC 8259) into a string, in pure ASCII: whatever a recording holds, a terminal shows it unharmed.
// A cover over RapidJSON, so that one file compiles it. Nesting mistakes are broken invariants of the caller.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memswell::report {

enum class JsonLayout { compact, indented };

class JsonWriter {
 public:
  explicit JsonWriter(JsonLayout layout = JsonLayout::indented);
  ~JsonWriter();

  void begin_object();
  void begin_object(std::string_view key);
  void end_object();
  void begin_array();
  void begin_array(std::string_view key);
  void end_array();

  void text(std::string_view value);
  void flag(bool value);
  void null();
  void real(double value);  // not finite: null
  template <std::integral T>
  void number(T value) {
    if constexpr (std::signed_integral<T>) {
      signed_number(value);
    } else {
      unsigned_number(value);
    }
  }

  void text(std::string_view key, std::string_view value);
  void flag(std::string_view key, bool value);
  void null(std::string_view key);
  void real(std::string_view key, double value);
  template <std::integral T>
  void number(std::string_view key, T value) {
    name(key);
    number(value);
  }
  void texts(std::string_view key, const std::vector<std::string>& values);

  // The finished document with a line feed at its end. All objects and arrays are closed by then.
  std::string take();

 private:
  struct State;
  void name(std::string_view key);
  void signed_number(std::int64_t value);
  void unsigned_number(std::uint64_t value);

  std::unique_ptr<State> state_;
};

}  // namespace memswell::report
