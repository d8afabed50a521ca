#include "symbols/module_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "symbols/demangle.h"
#include "symbols/dwarf_units.h"
#include "symbols/elf_file.h"
#include "symbols/symbol_table.h"

namespace memswell::symbols {
namespace {

constexpr std::string_view kDeleted = " (deleted)";  // as the kernel marks it in /proc/PID/maps

// Everything that the names of one module are taken from, opened as far as it is there.
class ModuleReader {
 public:
  ModuleReader(const ReadRequest& request, ElfFile module) : request_(request), module_(std::move(module)) {}

  NameTable read();

 private:
  void open_debug_file();
  void open_symbols();
  void open_debug_info();
  std::vector<trace::SourceFrame> levels_at(Address address);
  std::string note() const;

  const ReadRequest& request_;
  ElfFile module_;
  std::optional<DebugFile> debug_file_;
  std::optional<ElfFile> mini_debug_info_;
  SymbolTable symbols_;
  bool all_functions_ = false;  // not only exported ones
  bool any_functions_ = false;
  std::unique_ptr<DwarfUnits> units_;
  std::vector<std::string> tried_;
};

bool has_dwarf(const ElfFile& file) { return file.has_contents(".debug_info") || file.has_contents(".zdebug_info"); }

void ModuleReader::open_debug_file() {
  const bool complete = has_dwarf(module_) && module_.has_contents(".symtab");
  if (!complete) debug_file_ = find_debug_file(request_.path, module_, request_.search, tried_);
}

void ModuleReader::open_symbols() {
  std::size_t functions = symbols_.add(module_, SHT_SYMTAB);
  if (functions == 0 && debug_file_) functions = symbols_.add(debug_file_->file, SHT_SYMTAB);
  if (const auto packed = module_.contents(".gnu_debugdata"); functions == 0 && !packed.empty()) {
    if (auto unpacked = ElfFile::unpack(packed)) {
      mini_debug_info_.emplace(std::move(*unpacked));
      functions = symbols_.add(*mini_debug_info_, SHT_SYMTAB);
    }
  }
  all_functions_ = functions > 0;
  any_functions_ = symbols_.add(module_, SHT_DYNSYM) > 0 || all_functions_;
  symbols_.add_plt(module_);
  symbols_.seal();
}

void ModuleReader::open_debug_info() {
  if (request_.depth == ReadDepth::symbol_tables) return;
  if (has_dwarf(module_)) {
    units_ = DwarfUnits::open(module_, module_.executable_ranges());
  } else if (debug_file_) {
    units_ = DwarfUnits::open(debug_file_->file, module_.executable_ranges());
  }
}

// What the debug information does not name (hand-written assembly, a damaged entry) the symbol table may.
std::vector<trace::SourceFrame> ModuleReader::levels_at(Address address) {
  std::vector<trace::SourceFrame> levels;
  const char* symbol = symbols_.find(address);
  if (units_) levels = units_->levels_at(address, symbol);
  if (levels.empty()) levels.emplace_back();
  if (levels.back().function.empty() && symbol) levels.back().function = symbol;
  for (auto& level : levels) level.function = demangle(level.function.c_str());
  std::erase_if(levels, [](const auto& level) { return level.function.empty() && level.file.empty(); });
  return levels;
}

std::string ModuleReader::note() const {
  std::string text;
  if (units_) {
    text = debug_file_ && !has_dwarf(module_) ? fmt::format("debug information from {}", debug_file_->path)
                                              : "debug information in the file";
    if (units_->lacks_split_units())
      text += "; some of its .dwo files are missing, there inlined functions are not shown";
  } else if (mini_debug_info_ && all_functions_) {
    text = "function names from its .gnu_debugdata, no source lines";
  } else if (all_functions_) {
    text = "function names from its symbol table, no source lines";
  } else if (any_functions_) {
    text = "names of exported functions only";
  } else {
    text = "stripped, without any function names";
  }
  if (module_.build_id().empty()) text += "; it has no build-id: names hold if the file is still the one that ran";
  return text;
}

NameTable ModuleReader::read() {
  open_debug_file();
  open_symbols();
  open_debug_info();
  NameTable table;
  for (const Address address : request_.addresses) table.add(address, levels_at(address));
  table.build_id = request_.build_id;
  table.symbol_table = any_functions_;
  table.debug_info = units_ != nullptr;
  table.note = note();
  table.consulted.push_back(state_of(request_.path));
  for (const auto& path : tried_) table.consulted.push_back(state_of(path));
  return table;
}

}  // namespace

std::string why_not_recorded_file(const std::string& path, const BuildId& recorded) {
  if (!path.starts_with('/')) return "mapped by the kernel or made at run time, there is no file to read names from";
  if (path.ends_with(kDeleted)) return "its file was deleted or replaced while it ran, names are lost with it";
  // The path is a stranger's: opening a device can do things.
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return "its file cannot be read: not a regular file";
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) return fmt::format("its file cannot be opened ({})", std::strerror(errno));
  if (recorded.empty()) return {};
  const BuildId now = read_build_id(fd.get());
  if (now == recorded) return {};
  return fmt::format("its file has changed since it was recorded: build-id {} then, {} now", hex(recorded),
                     now.empty() ? "none" : hex(now));
}

NameTable read_names(const ReadRequest& request) {
  NameTable nothing;
  nothing.build_id = request.build_id;
  nothing.note = why_not_recorded_file(request.path, request.build_id);
  if (!nothing.note.empty()) return nothing;
  auto module = ElfFile::open(request.path);
  if (module) return ModuleReader(request, std::move(*module)).read();
  nothing.note = "its file cannot be read: " + module.error().sentence;
  return nothing;
}

}  // namespace memswell::symbols
