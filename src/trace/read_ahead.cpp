#include "trace/read_ahead.h"

#include <utility>

namespace memswell::trace {

ReadAhead::ReadAhead(ChunkReader chunks) : chunks_(std::move(chunks)) {
  current_.bytes_read = chunks_.bytes_read();
  thread_ = std::thread([this] { run(); });
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAhead::run() {
  while (chunks_.next()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return abandoned_ || waiting_.size() < kAhead; });
    if (abandoned_) return;
    std::vector<std::uint8_t> memory;
    if (!spare_.empty()) {
      memory = std::move(spare_.back());
      spare_.pop_back();
    }
    waiting_.push_back(chunks_.take(std::move(memory)));
    changed_.notify_all();
  }
  const std::lock_guard lock(mutex_);
  done_ = true;
  changed_.notify_all();
}

bool ReadAhead::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_ || !waiting_.empty(); });
  if (waiting_.empty()) {
    damage_ = chunks_.damage();
    return false;
  }
  if (!current_.raw.empty()) spare_.push_back(std::move(current_.raw));
  current_ = std::move(waiting_.front());
  waiting_.pop_front();
  changed_.notify_all();
  return true;
}

}  // namespace memswell::trace
