#include "report/json_story.h"

#include "report/site_text.h"

namespace memswell::report {
namespace {

std::string_view part_key(analysis::PulseCause::Of of) {
  switch (of) {
    case analysis::PulseCause::Of::rise: return "rise";
    case analysis::PulseCause::Of::fall: return "fall";
    case analysis::PulseCause::Of::stays: return "stays";
  }
  return "rise";
}

std::string_view effect_key(analysis::Effect effect) {
  switch (effect) {
    case analysis::Effect::lowers_peak: return "lowers_peak";
    case analysis::Effect::lowers_what_stays: return "lowers_what_stays";
    case analysis::Effect::informs: return "informs";
  }
  return "informs";
}

std::string_view certainty_key(analysis::Certainty certainty) {
  switch (certainty) {
    case analysis::Certainty::exact: return "exact";
    case analysis::Certainty::lower_bound: return "lower_bound";
    case analysis::Certainty::inference: return "inference";
    case analysis::Certainty::estimate: return "estimate";
  }
  return "inference";
}

std::string_view unit_key(analysis::Unit unit) {
  switch (unit) {
    case analysis::Unit::bytes: return "bytes";
    case analysis::Unit::count: return "count";
    case analysis::Unit::nanoseconds: return "ns";
  }
  return "count";
}

void write_site_index(JsonWriter& json, const std::optional<analysis::SiteIndex>& site) {
  if (site) {
    json.number("site", site->value);
  } else {
    json.null("site");
  }
}

}  // namespace

void write_pulse(JsonWriter& json, const analysis::Pulse& pulse) {
  json.begin_object();
  json.number("begin_ns", pulse.begin_ns);
  json.number("peak_ns", pulse.peak_ns);
  json.number("end_ns", pulse.end_ns);
  json.number("begin_rss_bytes", pulse.begin_rss_bytes);
  json.number("peak_rss_bytes", pulse.peak_rss_bytes);
  json.number("end_rss_bytes", pulse.end_rss_bytes);
  json.number("rise_bytes", pulse.rise_bytes);
  json.number("fall_bytes", pulse.fall_bytes);
  json.text("phase", pulse.phase);
  json.flag("exact", pulse.exact);
  json.text("sentence", pulse.sentence);
  json.text("comparison", pulse.comparison);
  json.begin_array("causes");
  for (const analysis::PulseCause& cause : pulse.causes) {
    json.begin_object();
    json.text("of", part_key(cause.of));
    json.text("owner", analysis::kOwnerTexts[static_cast<std::size_t>(cause.owner)].key);
    write_site_index(json, cause.site);
    json.number("bytes", cause.bytes);
    json.text("sentence", cause.sentence);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_finding(JsonWriter& json, const analysis::Finding& finding, const analysis::ProcessReport& process) {
  json.begin_object();
  json.text("kind", analysis::finding_key(finding.kind));
  json.text("effect", effect_key(finding.effect));
  json.text("phase", finding.phase);
  json.number("bytes", finding.bytes);
  write_site_index(json, finding.site);
  const bool named = finding.site && finding.site->value < process.sites.size();
  json.text("site_text", named ? site_text(process.sites[finding.site->value]) : "");
  json.text("sentence", finding.sentence);
  json.text("cause", finding.cause);
  json.text("remedy", finding.remedy);
  json.number("saves_bytes", finding.saves_bytes);
  json.flag("exact", finding.certainty == analysis::Certainty::exact);
  json.text("certainty", certainty_key(finding.certainty));
  json.begin_object("evidence");
  for (const analysis::Evidence& evidence : finding.evidence) {
    json.begin_object(evidence.name);
    json.number("value", evidence.value);
    json.text("unit", unit_key(evidence.unit));
    json.end_object();
  }
  json.end_object();
  json.end_object();
}

}  // namespace memswell::report
