// Result<T>: a value, or one sentence that says what failed, on what, why, and what to do.
// Errors go up once: leaves make them, callers add context or handle them, main prints them and picks the exit code.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace memswell {

// Exit codes of the program (docs/commands.md).
enum class ExitCode : int {
  ok = 0,
  check_failed = 1,
  usage = 2,
  unreadable_recording = 3,
  own_failure = 125,
  not_executable = 126,
  not_found = 127,
};

struct Error {
  std::string sentence;
  ExitCode exit_code = ExitCode::own_failure;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_; }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace memswell
