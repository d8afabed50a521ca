#include "capture/control_requests.h"

#include <charconv>

namespace memswell::capture {

void ControlRequests::handle(std::vector<ControlRequest> requests) {
  for (const ControlRequest& request : requests) handle(request);
}

// The process that asks, if it is a recorded one; else the first that runs.
Image* ControlRequests::image_for(pid_t pid) const {
  if (Image* image = images_.by_pid(pid)) return image;
  return images_.running().empty() ? nullptr : images_.running().front().get();
}

void ControlRequests::handle(const ControlRequest& request) {
  const std::size_t space = request.line.find(' ');
  const std::string verb = request.line.substr(0, space);
  const std::string argument = space == std::string::npos ? "" : request.line.substr(space + 1);
  if (verb == "phase-soon" && !argument.empty()) {
    request.answer("ok");
    taker_.cut_phase(argument, image_for(request.pid));
  } else if (verb == "pids") {
    std::string pids = "ok";
    for (const auto& image : images_.running()) pids += ' ' + std::to_string(image->pid);
    request.answer(pids);
  } else if (verb == "phase" && !argument.empty()) {
    taker_.cut_phase(argument, image_for(request.pid));
    writer_.flush();
    request.answer("ok");
  } else if (verb == "value") {
    handle_value(request, argument);
  } else {
    request.answer("unknown request");
  }
}

void ControlRequests::handle_value(const ControlRequest& request, const std::string& argument) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(argument.data(), argument.data() + argument.size(), value);
  const auto used = static_cast<std::size_t>(end - argument.data());
  Image* image = image_for(request.pid);
  if (error != std::errc() || used + 1 >= argument.size() || argument[used] != ' ') return request.answer("not a number");
  if (image == nullptr) return request.answer("no process");
  taker_.note_value(argument.substr(used + 1), value, *image);
  writer_.flush();
  request.answer("ok");
}

void ControlRequests::cut_intervals(Nanoseconds now, Nanoseconds every) {
  if (every == 0 || now < (intervals_ + 1) * every) return;
  intervals_ = now / every;
  taker_.cut_phase("interval " + std::to_string(intervals_ + 1), nullptr);
}

}  // namespace memswell::capture
