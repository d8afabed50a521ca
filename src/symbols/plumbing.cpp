#include "symbols/plumbing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <vector>

#include "symbols/plumbing_rules.h"

namespace memswell::symbols {
namespace {

// Beyond this std::regex, which recurses, may exhaust the stack.
constexpr std::size_t kLongestSearched = 1024;

bool is_word(char letter) { return letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0; }

// Where `trait` begins in "<type as trait>::function"; npos: there is none.
std::size_t trait_position(std::string_view type) {
  constexpr std::string_view kAs = " as ";
  int depth = 0;
  for (std::size_t i = 0; i < type.size() && depth >= 0; ++i) {
    if (depth == 0 && type.substr(i).starts_with(kAs)) return i + kAs.size();
    const bool arrow = type[i] == '>' && i > 0 && type[i - 1] == '-';
    if (std::string_view("<([").find(type[i]) != std::string_view::npos) ++depth;
    if (std::string_view(">)]").find(type[i]) != std::string_view::npos && !arrow) --depth;
  }
  return std::string_view::npos;
}

// The path whose crate a Rust function belongs to: of the type in "<alloc::vec::Vec<T> as core::clone::Clone>::clone";
// of the trait if the type has no crate ("<T as alloc::string::ToString>", "<[u8] as …>"), and core if there is none.
std::string_view owning_path(std::string_view name) {
  if (!name.starts_with('<') && !name.starts_with("_<")) return name;
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::string_view mark : {"_<", "<", "&", "mut ", "dyn "}) {
      if (!name.starts_with(mark)) continue;
      name.remove_prefix(mark.size());
      changed = true;
    }
  }
  const auto end = std::find_if_not(name.begin(), name.end(), is_word);
  const auto root = static_cast<std::size_t>(end - name.begin());
  if (root > 0 && name.substr(root).starts_with("::")) return name;
  const std::size_t trait = trait_position(name);
  return trait == std::string_view::npos ? std::string_view("core::") : name.substr(trait);
}

// C++ functions are demangled with their parameters, Rust functions without. Those of internal linkage may lack them.
bool is_cxx(std::string_view name) {
  if (name.find("(anonymous namespace)") != std::string_view::npos) return true;
  const auto closing = name.rfind(')');
  if (closing == std::string_view::npos) return false;
  const std::string_view rest = name.substr(closing + 1);
  return rest.empty() || rest.starts_with(" const") || rest.starts_with(" &") || rest.starts_with(" [");
}

// Where a whole name must end: "malloc" is also "malloc@plt", "malloc.part.0", "malloc(unsigned long)" and "malloc<T>".
bool ends_there(std::string_view rest) { return rest.empty() || rest.find_first_of("@.(<[ ") == 0; }

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool applies(Where where, std::string_view name, std::string_view module) {
  switch (where) {
    case Where::anywhere: return true;
    case Where::not_cxx: return !is_cxx(name);
    case Where::python: return file_name(module).find("python") != std::string_view::npos;
    case Where::jvm: return file_name(module).starts_with("libjvm");
  }
  return false;
}

bool matches(const NameRule& rule, std::string_view name) {
  switch (rule.match) {
    case Match::whole: return name.starts_with(rule.text) && ends_there(name.substr(rule.text.size()));
    case Match::prefix: return name.starts_with(rule.text);
    case Match::member: {
      const auto at = name.find(rule.text);
      return at != std::string_view::npos && name.substr(0, at).ends_with("::") && at < name.find('(');
    }
  }
  return false;
}

std::optional<PlumbingKind> kind_of_module(std::string_view module) {
  for (const ModuleRule& rule : module_rules()) {
    if (file_name(module).starts_with(rule.file_prefix)) return rule.kind;
  }
  return std::nullopt;
}

// Rules by their first two letters, which no rule lacks; members may stand behind any class (key 0).
using RuleIndex = std::unordered_map<unsigned, std::vector<const NameRule*>>;

unsigned first_letters(std::string_view text) {
  return static_cast<unsigned>(static_cast<unsigned char>(text[0]) << 8 | static_cast<unsigned char>(text[1]));
}

RuleIndex make_index() {
  RuleIndex index;
  for (const NameRule& rule : name_rules()) {
    index[rule.match == Match::member ? 0 : first_letters(rule.text)].push_back(&rule);
  }
  return index;
}

bool is_loader(std::string_view function) {
  return std::ranges::any_of(loader_prefixes(), [&](std::string_view prefix) { return function.starts_with(prefix); });
}

std::optional<PlumbingKind> kind_of_name(std::string_view function, std::string_view module) {
  static const RuleIndex index = make_index();
  const std::string_view name = owning_path(function);
  if (name.size() < 2) return std::nullopt;
  for (const unsigned key : {first_letters(name), 0u}) {
    const auto rules = index.find(key);
    if (rules == index.end()) continue;
    for (const NameRule* rule : rules->second) {
      if (matches(*rule, name) && applies(rule->where, name, module)) return rule->kind;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<PlumbingKind> plumbing_kind(std::string_view function, std::string_view module) {
  if (function.empty() && module.empty()) return PlumbingKind::runtime;
  const auto of_module = kind_of_module(module);
  if (of_module == PlumbingKind::profiler) return of_module;
  if (of_module == PlumbingKind::runtime && is_loader(function)) return std::nullopt;
  if (const auto of_name = kind_of_name(function, module)) return of_name;
  return of_module;
}

bool is_plumbing(std::string_view function, std::string_view module) {
  return plumbing_kind(function, module).has_value();
}

Result<Plumbing> Plumbing::with_skips(std::span<const std::string> skips) {
  Plumbing plumbing;
  for (const auto& skip : skips) {
    try {
      plumbing.skips_.emplace_back(skip, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& error) {
      return Error{fmt::format("--skip '{}' is not a regular expression: {}", skip, error.what()), ExitCode::usage};
    }
  }
  return plumbing;
}

std::optional<PlumbingKind> Plumbing::kind(std::string_view function, std::string_view module) const {
  if (const auto kind = plumbing_kind(function, module)) return kind;
  const std::string_view searched = function.substr(0, kLongestSearched);
  const bool skipped = std::any_of(skips_.begin(), skips_.end(), [&](const std::regex& skip) {
    return std::regex_search(searched.begin(), searched.end(), skip);
  });
  return skipped ? std::optional(PlumbingKind::user) : std::nullopt;
}

}  // namespace memswell::symbols
