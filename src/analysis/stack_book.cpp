#include "analysis/stack_book.h"

#include <array>
#include <utility>

namespace memswell::analysis {
namespace {

// Without a rule from the caller: only the functions that allocate.
bool allocates(std::string_view function, std::string_view) {
  static constexpr std::array<std::string_view, 14> kFunctions{
      "malloc",        "calloc", "realloc", "reallocarray", "free",           "memalign", "posix_memalign",
      "aligned_alloc", "valloc", "pvalloc", "operator new", "operator new[]", "mmap",     "mmap64"};
  for (std::string_view name : kFunctions) {
    if (function == name || (function.starts_with(name) && function.substr(name.size()).starts_with("("))) return true;
  }
  return false;
}

bool is_mark(const trace::Frame& frame) { return frame.kind >= trace::FrameKind::depth_limit; }

}  // namespace

std::size_t StackBook::FrameHash::operator()(const trace::Frame& frame) const noexcept {
  const std::uint64_t key =
      frame.offset ^ (std::uint64_t{frame.module.value} << 44) ^ (static_cast<std::uint64_t>(frame.kind) << 61);
  return (key * 0x9e37'79b9'7f4a'7c15u) >> 16;
}

StackBook::StackBook() : plumbing_(allocates) {
  table_.frames.emplace_back().levels.emplace_back();
  table_.stacks.emplace_back();
  site_of_frame_.emplace_back();
  site_of_stack_.emplace_back();
  only_plumbing_.push_back(true);
  sites_.emplace_back();
}

void StackBook::on(const trace::Module& module) {
  if (module.id.value >= modules_.size()) modules_.resize(module.id.value + 1);
  modules_[module.id.value] = module;
  if (!resolved_) text_bytes_ += module.path.size() + module.build_id.size();
}

Bytes StackBook::held_bytes() const {
  constexpr Bytes kFrame = 1400;  // a name, a site and the ways to find them
  constexpr Bytes kStack = 48;
  constexpr Bytes kModule = sizeof(trace::Module) + 64;
  return table_.frames.size() * kFrame + table_.stacks.size() * kStack + modules_.size() * kModule + text_bytes_;
}

const trace::Module* StackBook::module(ModuleId id) const {
  return id.value != 0 && id.value < modules_.size() ? &modules_[id.value] : nullptr;
}

void StackBook::on(const trace::StackNode& node) {
  // Ids are dense and come in order; a second reading brings them again.
  if (node.id.value != table_.stacks.size() || node.parent.value >= node.id.value) return;
  table_.stacks.push_back({node.parent, frame_index(node.frame)});
  site_of_stack_.emplace_back();
  only_plumbing_.push_back(true);
  if (resolved_) place(node.id);
}

void StackBook::on(const trace::FrameSymbols& symbols) {
  const std::uint32_t index = frame_index(symbols.frame);
  if (symbols.levels.empty() || resolved_) return;
  for (const trace::SourceFrame& level : symbols.levels)
    text_bytes_ += sizeof(level) + level.function.size() + level.file.size();
  table_.frames[index].levels = symbols.levels;
}

void StackBook::on(const trace::ModuleSymbols& symbols) {
  const trace::Module* found = module(symbols.module);
  if (found != nullptr) module_notes_[found->path] = symbols.note;
}

std::string StackBook::note_of(const std::string& module_path) const {
  const auto at = module_notes_.find(module_path);
  return at == module_notes_.end() ? std::string() : at->second;
}

std::uint32_t StackBook::frame_index(const trace::Frame& frame) {
  const auto [at, added] = frame_index_.try_emplace(frame, static_cast<std::uint32_t>(table_.frames.size()));
  if (!added) return at->second;
  table_.frames.emplace_back().frame = frame;
  site_of_frame_.emplace_back();
  if (resolved_) {
    name_frame(table_.frames.back());
    site_of_frame_.back() = site_in(table_.frames.back());
  }
  return at->second;
}

// Blocks from before the first recorded call are a group of their own, in place of a function.
void StackBook::name_earlier(const std::string& phase) {
  if (!phase.empty()) earlier_name_ = "[before phase \"" + phase + "\"]";
}

void StackBook::name_frame(NamedFrame& frame) {
  if (frame.frame.kind == trace::FrameKind::earlier) {
    frame.levels = {{.function = earlier_name_, .file = {}, .line = 0}};
    frame.plumbing = false;
    return;
  }
  const trace::Module* from = module(frame.frame.module);
  if (from != nullptr) frame.module = from->path;
  if (frame.levels.empty() && names_ != nullptr && from != nullptr && !is_mark(frame.frame)) {
    frame.levels = names_->lookup(frame.frame, *from);
  }
  if (frame.levels.empty()) frame.levels.emplace_back();
  frame.plumbing = true;
  for (const trace::SourceFrame& level : frame.levels) frame.plumbing &= plumbing_(level.function, frame.module);
}

void StackBook::prepare_names() {
  std::vector<trace::Frame> unnamed;
  for (std::size_t i = 1; i < table_.frames.size(); ++i) {
    const NamedFrame& frame = table_.frames[i];
    if (frame.levels.empty() && !is_mark(frame.frame)) unnamed.push_back(frame.frame);
  }
  if (unnamed.empty()) return;
  for (const trace::ModuleSymbols& symbols : names_->prepare(modules_, unnamed)) on(symbols);
}

void StackBook::resolve(Names* names, SiteRule plumbing) {
  names_ = names;
  if (names_ != nullptr) prepare_names();
  if (plumbing) plumbing_ = std::move(plumbing);
  resolved_ = true;
  for (std::size_t i = 1; i < table_.frames.size(); ++i) {
    name_frame(table_.frames[i]);
    site_of_frame_[i] = site_in(table_.frames[i]);
  }
  for (std::uint32_t stack = 1; stack < table_.stacks.size(); ++stack) place(StackId{stack});
}

// The innermost inlined level that is not plumbing; none: the frame is plumbing through and through, or a mark.
std::optional<SiteIndex> StackBook::site_in(const NamedFrame& frame) {
  if (frame.frame.kind == trace::FrameKind::earlier) return site_at(frame, frame.levels.front());
  if (is_mark(frame.frame)) return std::nullopt;
  for (const trace::SourceFrame& level : frame.levels) {
    if (!plumbing_(level.function, frame.module)) return site_at(frame, level);
  }
  return std::nullopt;
}

SiteIndex StackBook::site_at(const NamedFrame& frame, const trace::SourceFrame& level) {
  // Lines tell sites of one function apart; without lines the function is the site, without a name its address.
  SiteKey key{level.function, level.file, level.line, frame.module, level.function.empty() ? frame.frame.offset : 0};
  const auto [at, added] =
      site_index_.try_emplace(std::move(key), SiteIndex{static_cast<std::uint32_t>(sites_.size())});
  if (!added) return at->second;
  Site& site = sites_.emplace_back();
  site.function = level.function;
  site.file = level.file;
  site.line = level.line;
  site.module = frame.module;
  site.offset = frame.frame.offset;
  return at->second;
}

void StackBook::place(StackId stack) {
  const StackEntry entry = table_.stacks[stack.value];
  const std::optional<SiteIndex>& here = site_of_frame_[entry.frame];
  const NamedFrame& frame = table_.frames[entry.frame];
  SiteIndex& site = site_of_stack_[stack.value];
  only_plumbing_[stack.value] = !here && only_plumbing_[entry.parent.value];
  site = here ? *here : site_of_stack_[entry.parent.value];
  if (!only_plumbing_[stack.value] || is_mark(frame.frame)) return;
  // Nothing but plumbing so far: its innermost frame with a name, else the outermost.
  const bool named = !frame.levels.front().function.empty();
  if (named || site == SiteIndex{0}) site = site_at(frame, frame.levels.front());
}

}  // namespace memswell::analysis
