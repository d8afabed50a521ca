// The names of figures, once for every format that writes them: JSON keys and columns of the SQLite file.
#pragma once

#include <cstdint>

#include "analysis/model.h"

namespace memswell::report {

template <class T>
struct FigureKey {
  const char* name;
  std::uint64_t T::*member;
};

// Of a process, from its own calls.
inline constexpr FigureKey<analysis::Figures> kTotalFigureKeys[] = {
    {"calls", &analysis::Figures::calls},
    {"allocated_bytes", &analysis::Figures::allocated_bytes},
    {"frees", &analysis::Figures::frees},
    {"temporary", &analysis::Figures::temporary},
    {"reallocs", &analysis::Figures::reallocs},
    {"reallocs_moved", &analysis::Figures::reallocs_moved},
    {"realloc_copied_bytes", &analysis::Figures::realloc_copied_bytes},
    {"callocs", &analysis::Figures::callocs},
    {"calloc_bytes", &analysis::Figures::calloc_bytes},
    {"slack_bytes_at_exit", &analysis::Figures::slack_bytes},
};

inline constexpr FigureKey<analysis::ProcessTotals> kTotalKeys[] = {
    {"live_blocks_at_exit", &analysis::ProcessTotals::live_blocks_at_exit},
    {"live_bytes_at_exit", &analysis::ProcessTotals::live_bytes_at_exit},
    {"inherited_blocks", &analysis::ProcessTotals::inherited_blocks},
    {"inherited_bytes", &analysis::ProcessTotals::inherited_bytes},
    {"inherited_live_at_exit", &analysis::ProcessTotals::inherited_live_at_exit},
    {"peak_live_bytes", &analysis::ProcessTotals::peak_live_bytes},
    {"peak_live_blocks", &analysis::ProcessTotals::peak_live_blocks},
    {"peak_live_ns", &analysis::ProcessTotals::peak_live_ns},
    {"peak_live_uncertain_bytes", &analysis::ProcessTotals::peak_live_uncertain_bytes},
    {"peak_rss_bytes", &analysis::ProcessTotals::peak_rss_bytes},
    {"peak_rss_ns", &analysis::ProcessTotals::peak_rss_ns},
    {"peak_rss_sampled_bytes", &analysis::ProcessTotals::peak_rss_sampled_bytes},
    {"peak_private_dirty_bytes", &analysis::ProcessTotals::peak_private_dirty_bytes},
    {"peak_private_dirty_ns", &analysis::ProcessTotals::peak_private_dirty_ns},
    {"end_rss_bytes", &analysis::ProcessTotals::end_rss_bytes},
    {"end_private_dirty_bytes", &analysis::ProcessTotals::end_private_dirty_bytes},
    {"end_rss_ns", &analysis::ProcessTotals::end_rss_ns},
    {"own_peak_bytes", &analysis::ProcessTotals::own_peak_bytes},
    {"own_private_dirty_bytes", &analysis::ProcessTotals::own_private_dirty_bytes},
    {"replaced", &analysis::ProcessTotals::replaced},
    {"unmatched_frees", &analysis::ProcessTotals::unmatched_frees},
    {"uncertain_blocks", &analysis::ProcessTotals::uncertain_blocks},
    {"lost_events", &analysis::ProcessTotals::lost_events},
    {"ring_waits", &analysis::ProcessTotals::ring_waits},
    {"walks_compared", &analysis::ProcessTotals::walks_compared},
    {"walks_different", &analysis::ProcessTotals::walks_different},
    {"threads", &analysis::ProcessTotals::threads},
    {"unnamed_at_peak_bytes", &analysis::ProcessTotals::unnamed_at_peak_bytes},
};

inline constexpr FigureKey<analysis::EarlierTotals> kEarlierKeys[] = {
    {"end_ns", &analysis::EarlierTotals::end_ns},
    {"calls", &analysis::EarlierTotals::calls},
    {"allocated_bytes", &analysis::EarlierTotals::allocated_bytes},
    {"frees", &analysis::EarlierTotals::frees},
    {"unmatched_frees", &analysis::EarlierTotals::unmatched_frees},
    {"live_blocks", &analysis::EarlierTotals::live_blocks},
    {"live_bytes", &analysis::EarlierTotals::live_bytes},
    {"peak_live_bytes", &analysis::EarlierTotals::peak_live_bytes},
    {"peak_live_ns", &analysis::EarlierTotals::peak_live_ns},
};

inline constexpr FigureKey<analysis::Phase> kPhaseKeys[] = {
    {"begin_ns", &analysis::Phase::begin_ns},
    {"end_ns", &analysis::Phase::end_ns},
    {"begin_rss_bytes", &analysis::Phase::begin_rss_bytes},
    {"begin_private_dirty_bytes", &analysis::Phase::begin_private_dirty_bytes},
    {"begin_live_bytes", &analysis::Phase::begin_live_bytes},
    {"peak_rss_bytes", &analysis::Phase::peak_rss_bytes},
    {"peak_rss_bound_bytes", &analysis::Phase::peak_rss_bound_bytes},
    {"peak_private_dirty_bytes", &analysis::Phase::peak_private_dirty_bytes},
    {"peak_live_bytes", &analysis::Phase::peak_live_bytes},
    {"peak_live_ns", &analysis::Phase::peak_live_ns},
    {"end_rss_bytes", &analysis::Phase::end_rss_bytes},
    {"end_private_dirty_bytes", &analysis::Phase::end_private_dirty_bytes},
    {"end_live_bytes", &analysis::Phase::end_live_bytes},
    {"calls", &analysis::Phase::calls},
    {"allocated_bytes", &analysis::Phase::allocated_bytes},
};

// Of a site or a stack.
inline constexpr FigureKey<analysis::Figures> kSiteFigureKeys[] = {
    {"calls", &analysis::Figures::calls},
    {"bytes", &analysis::Figures::allocated_bytes},
    {"frees", &analysis::Figures::frees},
    {"live_blocks", &analysis::Figures::live_blocks},
    {"live_bytes", &analysis::Figures::live_bytes},
    {"peak_live_bytes", &analysis::Figures::peak_live_bytes},
    {"live_at_peak_bytes", &analysis::Figures::live_at_peak_bytes},
    {"live_at_peak_blocks", &analysis::Figures::live_at_peak_blocks},
    {"slack_bytes", &analysis::Figures::slack_bytes},
    {"slack_at_peak_bytes", &analysis::Figures::slack_at_peak_bytes},
    {"temporary", &analysis::Figures::temporary},
    {"reallocs", &analysis::Figures::reallocs},
    {"reallocs_moved", &analysis::Figures::reallocs_moved},
    {"realloc_copied_bytes", &analysis::Figures::realloc_copied_bytes},
    {"callocs", &analysis::Figures::callocs},
    {"calloc_bytes", &analysis::Figures::calloc_bytes},
};

inline constexpr FigureKey<analysis::Site> kSiteKeys[] = {
    {"untouched_bytes", &analysis::Site::untouched_bytes},
    {"untouched_at_exit_bytes", &analysis::Site::untouched_at_exit_bytes},
    {"pinned_bytes", &analysis::Site::pinned_bytes},
    {"overallocated_bytes", &analysis::Site::overallocated_bytes},
    {"mapped_resident_bytes", &analysis::Site::mapped_resident_bytes},
};

}  // namespace memswell::report
