// The layouts of all recorded processes (trace/format.h), by their page in the pool, and when their pages may be freed.
//
// A layout is over when no process uses it any more. A hook that had begun before may still walk by its rules and write a
// record that names it; so its pages are freed only after every ring that was live then has been seen outside of a hook
// and read to its head. The nodes made from it stay.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/layout.h"
#include "capture/region.h"
#include "capture/ring.h"

namespace memswell::capture {

class LayoutTable {
 public:
  LayoutTable(const Region& region, ModuleTable& modules, FrameTable& frames);

  // `page_plus_one` as records and slots name it; null if no layout can lie there. `executable` names the module
  // without a path if the layout is new.
  Layout* open(std::uint64_t page_plus_one, const std::string& executable);

  // For records that come before their ring named a layout: no modules.
  Layout& none() { return none_; }

  // Looks for layouts that are over and frees those that nobody can reach. A few times a second.
  void retire(const std::vector<std::unique_ptr<Ring>>& rings);

  // The process that used this layout has ended without saying so.
  void drop_user(std::uint64_t page_plus_one);

  std::size_t size() const { return layouts_.size(); }

 private:
  struct Entry {
    std::unique_ptr<Layout> layout;
    bool over = false;
    std::vector<std::uint32_t> unquiet;  // rings that may still be in a hook that began before
  };
  void free_pages(std::uint32_t page, const format::LayoutHeader& header) const;
  bool still_unquiet(std::uint32_t ring_index) const;

  const Region& region_;
  ModuleTable& modules_;
  FrameTable& frames_;
  std::unique_ptr<format::LayoutHeader> empty_header_;
  Layout none_;
  std::unordered_map<std::uint32_t, Entry> layouts_;  // by page
};

}  // namespace memswell::capture
