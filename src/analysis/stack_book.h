// The stacks of a recording: the trie as it was recorded, names joined to its frames, and the site of each stack.
//
// Fed in the first reading (StackNode, Module, FrameSymbols, ModuleSymbols), then resolve() names the frames and finds
// the sites. Stacks that appear only in the second reading (the recording still grows) get their site when they come.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analysis/ledger.h"
#include "analysis/names.h"
#include "analysis/stack_model.h"
#include "trace/events.h"

namespace memswell::analysis {

class StackBook : public SiteOfStack {
 public:
  StackBook();

  void on(const trace::Module& module);
  void on(const trace::StackNode& node);
  void on(const trace::FrameSymbols& symbols);
  void on(const trace::ModuleSymbols& symbols);

  // How blocks are called that are older than the recording of calls, which began with this phase. Before resolve().
  void name_earlier(const std::string& phase);

  // Once, between the readings. `names` may be null.
  void resolve(Names* names, SiteRule plumbing);

  SiteIndex site_of(StackId stack) const override {
    return stack.value < site_of_stack_.size() ? site_of_stack_[stack.value] : SiteIndex{0};
  }
  // Where a site is, without figures. Site 0: blocks without a stack.
  const Site& site(SiteIndex site) const { return sites_[site.value]; }
  std::size_t sites() const { return sites_.size(); }
  const trace::Module* module(ModuleId id) const;
  // What the recording says about the names of a module; empty: nothing.
  std::string note_of(const std::string& module_path) const;

  // With what a report makes of it: names, sites, trees.
  Bytes held_bytes() const;

  StackTable take_table() { return std::move(table_); }
  const StackTable& table() const { return table_; }

 private:
  struct FrameHash {
    std::size_t operator()(const trace::Frame& frame) const noexcept;
  };
  using SiteKey = std::tuple<std::string, std::string, std::uint32_t, std::string, std::uint64_t>;

  std::uint32_t frame_index(const trace::Frame& frame);
  void prepare_names();
  void name_frame(NamedFrame& frame);
  void place(StackId stack);
  std::optional<SiteIndex> site_in(const NamedFrame& frame);
  SiteIndex site_at(const NamedFrame& frame, const trace::SourceFrame& level);

  std::vector<trace::Module> modules_;  // by id
  std::unordered_map<std::string, std::string> module_notes_;
  std::unordered_map<trace::Frame, std::uint32_t, FrameHash> frame_index_;
  std::vector<std::optional<SiteIndex>> site_of_frame_;  // nullopt: plumbing through and through
  StackTable table_;
  std::vector<SiteIndex> site_of_stack_;
  std::vector<bool> only_plumbing_;  // by StackId: the site is a fallback
  std::map<SiteKey, SiteIndex> site_index_;
  std::vector<Site> sites_;
  Bytes text_bytes_ = 0;  // of modules and symbols
  Names* names_ = nullptr;
  SiteRule plumbing_;
  std::string earlier_name_ = "[before the first recorded call]";
  bool resolved_ = false;
};

}  // namespace memswell::analysis
