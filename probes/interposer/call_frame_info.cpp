#include "call_frame_info.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "memory.h"
#include "symbol_lookup.h"

namespace memswell::probe {
namespace {

using FindObject = int (*)(void*, dl_find_object*);
FindObject find_object = nullptr;

// Register numbers of the psABI.
constexpr std::uint64_t kBp = 6, kSp = 7, kReturnAddress = 16;

// A bounded cursor over call frame information. Past the end it yields zeros and `ok` turns false.
struct Cursor {
  const std::uint8_t* at;
  const std::uint8_t* end;
  bool ok = true;

  template <class T>
  T fixed() {
    if (static_cast<std::size_t>(end - at) < sizeof(T)) return ok = false, T{};
    T value;
    __builtin_memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::uint64_t unsigned_leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  std::int64_t signed_leb() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t byte;
    do {
      byte = fixed<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      shift += 7;
    } while ((byte & 0x80) != 0);
    if (shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }
  void skip(std::uint64_t n) {
    if (static_cast<std::uint64_t>(end - at) < n) {
      ok = false, at = end;
    } else {
      at += n;
    }
  }
};

// DW_EH_PE pointer encodings, those that compilers emit in .eh_frame.
std::uintptr_t encoded_pointer(Cursor& c, std::uint8_t encoding) {
  const auto place = reinterpret_cast<std::uintptr_t>(c.at);
  std::uintptr_t value;
  switch (encoding & 0x0f) {
    case 0x00: case 0x04: case 0x0c: value = c.fixed<std::uint64_t>(); break;
    case 0x02: value = c.fixed<std::uint16_t>(); break;
    case 0x03: value = c.fixed<std::uint32_t>(); break;
    case 0x0a: value = static_cast<std::uintptr_t>(std::int64_t{c.fixed<std::int16_t>()}); break;
    case 0x0b: value = static_cast<std::uintptr_t>(std::int64_t{c.fixed<std::int32_t>()}); break;
    default: c.ok = false; return 0;
  }
  if ((encoding & 0x70) == 0x10) value += place;
  else if ((encoding & 0x70) != 0) c.ok = false;
  return value;
}

struct Description {  // a frame description entry with its common information entry
  std::uintptr_t begin = 0;
  std::uintptr_t length = 0;
  std::uint64_t code_factor = 1;
  std::int64_t data_factor = 1;
  std::uint64_t return_register = kReturnAddress;
  bool signal_frame = false;
  Cursor initial{nullptr, nullptr};
  Cursor program{nullptr, nullptr};
};

Cursor record_at(const std::uint8_t* record) {
  Cursor c{record, record + 12};
  std::uint64_t length = c.fixed<std::uint32_t>();
  if (length == 0xffffffff) length = c.fixed<std::uint64_t>();
  c.end = c.at + length;
  return c;
}

bool read_common(const std::uint8_t* record, Description& d, std::uint8_t& pointer_encoding, bool& augmented) {
  Cursor c = record_at(record);
  c.skip(4);  // CIE id
  const auto version = c.fixed<std::uint8_t>();
  const char* augmentation = reinterpret_cast<const char*>(c.at);
  while (c.ok && c.fixed<std::uint8_t>() != 0) {}
  if (version == 4) c.skip(2);  // address and segment sizes
  d.code_factor = c.unsigned_leb();
  d.data_factor = c.signed_leb();
  d.return_register = version == 1 ? c.fixed<std::uint8_t>() : c.unsigned_leb();
  pointer_encoding = 0;
  augmented = augmentation[0] == 'z';
  if (augmented) {
    const std::uint64_t bytes = c.unsigned_leb();
    const std::uint8_t* next = c.at + bytes;
    for (const char* a = augmentation + 1; *a != 0; ++a) {
      if (*a == 'R') pointer_encoding = c.fixed<std::uint8_t>();
      else if (*a == 'L') c.skip(1);
      else if (*a == 'P') {
        const auto encoding = c.fixed<std::uint8_t>();
        encoded_pointer(c, static_cast<std::uint8_t>(encoding & 0x0f));
      } else if (*a == 'S') d.signal_frame = true;
    }
    c.at = next;
  }
  d.initial = c;
  return c.ok && c.at <= c.end;
}

bool read_description(const std::uint8_t* record, Description& d) {
  Cursor c = record_at(record);
  const std::uint8_t* id_place = c.at;
  const auto common_distance = c.fixed<std::uint32_t>();
  if (common_distance == 0) return false;
  std::uint8_t encoding = 0;
  bool augmented = false;
  if (!read_common(id_place - common_distance, d, encoding, augmented)) return false;
  d.begin = encoded_pointer(c, encoding);
  d.length = encoded_pointer(c, static_cast<std::uint8_t>(encoding & 0x0f));
  if (augmented) c.skip(c.unsigned_leb());
  d.program = c;
  return c.ok;
}

struct Saved {
  enum class How : std::uint8_t { same, at_offset, expression, other, undefined } how = How::same;
  std::int64_t offset = 0;
  const std::uint8_t* expression = nullptr;
  std::uint64_t expression_bytes = 0;
};

struct Row {
  std::uint64_t cfa_register = kSp;
  std::int64_t cfa_offset = 0;
  const std::uint8_t* cfa_expression = nullptr;
  std::uint64_t cfa_expression_bytes = 0;
  Saved bp, return_address;

  Saved* saved(std::uint64_t r) { return r == kBp ? &bp : r == kReturnAddress ? &return_address : nullptr; }
};

constexpr int kRememberedRows = 4;

// Runs call frame instructions up to `pc`.
class Interpreter {
 public:
  Interpreter(const Description& d, std::uintptr_t pc) : d_(d), pc_(pc), location_(d.begin) {}

  bool run(Row& row) {
    row_ = &row;
    if (!execute(d_.initial)) return false;
    initial_ = row;
    return execute(d_.program);
  }

 private:
  bool execute(Cursor c) {
    while (c.ok && c.at < c.end) {
      if (!instruction(c)) return false;
      if (location_ > pc_) return true;
    }
    return c.ok;
  }

  void advance(std::uint64_t delta) { location_ += delta * d_.code_factor; }

  void set(std::uint64_t r, Saved value) {
    if (Saved* s = row_->saved(r)) *s = value;
  }

  void restore(std::uint64_t r) {
    if (Saved* s = row_->saved(r)) *s = *initial_.saved(r);
  }

  Saved at_offset(std::int64_t factored) { return {Saved::How::at_offset, factored * d_.data_factor, nullptr, 0}; }

  bool instruction(Cursor& c) {
    const auto op = c.fixed<std::uint8_t>();
    const std::uint8_t low = op & 0x3f;
    switch (op & 0xc0) {
      case 0x40: if (row_done(low)) return true; advance(low); return true;
      case 0x80: set(low, at_offset(static_cast<std::int64_t>(c.unsigned_leb()))); return true;
      case 0xc0: restore(low); return true;
      default: return extended(op, c);
    }
  }

  // The row for pc is complete once the next row begins above it.
  bool row_done(std::uint64_t delta) {
    if (location_ + delta * d_.code_factor <= pc_) return false;
    location_ = pc_ + 1;
    return true;
  }

  bool extended(std::uint8_t op, Cursor& c) {
    switch (op) {
      case 0x00: return true;                                                                // nop
      case 0x01: return false;                                                               // set_loc: not on x86-64
      case 0x02: { const auto n = c.fixed<std::uint8_t>(); if (!row_done(n)) advance(n); return true; }
      case 0x03: { const auto n = c.fixed<std::uint16_t>(); if (!row_done(n)) advance(n); return true; }
      case 0x04: { const auto n = c.fixed<std::uint32_t>(); if (!row_done(n)) advance(n); return true; }
      case 0x05: { const auto r = c.unsigned_leb(); set(r, at_offset(static_cast<std::int64_t>(c.unsigned_leb()))); return true; }
      case 0x06: restore(c.unsigned_leb()); return true;
      case 0x07: set(c.unsigned_leb(), {Saved::How::undefined, 0, nullptr, 0}); return true;
      case 0x08: set(c.unsigned_leb(), {}); return true;
      case 0x09: { const auto r = c.unsigned_leb(); c.unsigned_leb(); set(r, {Saved::How::other, 0, nullptr, 0}); return true; }
      case 0x0a: return remember();
      case 0x0b: return recall();
      case 0x0c: define_cfa(c.unsigned_leb()); row_->cfa_offset = static_cast<std::int64_t>(c.unsigned_leb()); return true;
      case 0x0d: define_cfa(c.unsigned_leb()); return true;
      case 0x0e: row_->cfa_offset = static_cast<std::int64_t>(c.unsigned_leb()); return true;
      case 0x0f: row_->cfa_expression_bytes = c.unsigned_leb(); row_->cfa_expression = c.at; c.skip(row_->cfa_expression_bytes); return true;
      case 0x10: return expression(c, Saved::How::expression);
      case 0x11: { const auto r = c.unsigned_leb(); set(r, at_offset(c.signed_leb())); return true; }
      case 0x12: define_cfa(c.unsigned_leb()); row_->cfa_offset = c.signed_leb() * d_.data_factor; return true;
      case 0x13: row_->cfa_offset = c.signed_leb() * d_.data_factor; return true;
      case 0x14: case 0x15: { const auto r = c.unsigned_leb(); c.unsigned_leb(); set(r, {Saved::How::other, 0, nullptr, 0}); return true; }
      case 0x16: return expression(c, Saved::How::other);
      case 0x2e: c.unsigned_leb(); return true;                                               // GNU_args_size
      default: return false;
    }
  }

  void define_cfa(std::uint64_t r) {
    row_->cfa_register = r;
    row_->cfa_expression = nullptr;
  }

  bool expression(Cursor& c, Saved::How how) {
    const auto r = c.unsigned_leb();
    const auto bytes = c.unsigned_leb();
    set(r, {how, 0, c.at, bytes});
    c.skip(bytes);
    return true;
  }

  bool remember() {
    if (depth_ == kRememberedRows) return false;
    remembered_[depth_++] = *row_;
    return true;
  }

  bool recall() {
    if (depth_ == 0) return false;
    *row_ = remembered_[--depth_];
    return true;
  }

  const Description& d_;
  std::uintptr_t pc_;
  std::uintptr_t location_;
  Row* row_ = nullptr;
  Row initial_;
  Row remembered_[kRememberedRows];
  int depth_ = 0;
};

// DW_OP_breg6 n, optionally followed by DW_OP_deref: how realigned functions (DRAP) describe themselves.
bool bp_expression(const std::uint8_t* bytes, std::uint64_t count, bool deref, std::int64_t& offset) {
  Cursor c{bytes, bytes + count};
  if (c.fixed<std::uint8_t>() != 0x76) return false;
  offset = c.signed_leb();
  if (deref && c.fixed<std::uint8_t>() != 0x06) return false;
  return c.ok && c.at == c.end;
}

bool fits(std::int64_t value, int bits) {
  return value >= -(std::int64_t{1} << (bits - 1)) && value < (std::int64_t{1} << (bits - 1));
}

bool set_cfa(const Row& row, StepRule& rule) {
  std::int64_t offset = row.cfa_offset;
  if (row.cfa_expression != nullptr) {
    if (!bp_expression(row.cfa_expression, row.cfa_expression_bytes, true, offset)) return false;
    rule.cfa = StepRule::Cfa::at_bp;
  } else if (row.cfa_register == kSp) {
    rule.cfa = StepRule::Cfa::sp;
  } else if (row.cfa_register == kBp) {
    rule.cfa = StepRule::Cfa::bp;
  } else {
    return false;
  }
  rule.cfa_offset = static_cast<std::int32_t>(offset);
  return fits(offset, 32);
}

bool set_saved_bp(const Row& row, StepRule& rule) {
  std::int64_t offset = row.bp.offset;
  switch (row.bp.how) {
    case Saved::How::same: rule.saved_bp = StepRule::SavedBp::same; offset = 0; break;
    case Saved::How::undefined: rule.saved_bp = StepRule::SavedBp::unknown; offset = 0; break;
    case Saved::How::at_offset: rule.saved_bp = StepRule::SavedBp::at_cfa; break;
    case Saved::How::expression:
      if (!bp_expression(row.bp.expression, row.bp.expression_bytes, false, offset)) return false;
      rule.saved_bp = StepRule::SavedBp::at_bp;
      break;
    case Saved::How::other: return false;
  }
  rule.bp_offset = static_cast<std::int32_t>(offset);
  return fits(offset, 24);
}

}  // namespace

bool prepare_call_frame_info() {
  if (find_object == nullptr) {
    const link_map* loader = loader_module();
    void* f = loader == nullptr ? nullptr : find_in_module(loader, "_dl_find_object");
    if (f == nullptr) f = find_in_libc("_dl_find_object");
    find_object = reinterpret_cast<FindObject>(f);
  }
  return find_object != nullptr;
}

bool find_module(std::uintptr_t pc, ModuleOfPc& module) {
  dl_find_object found;
  if (find_object == nullptr || find_object(reinterpret_cast<void*>(pc), &found) != 0) return false;
  module.begin = reinterpret_cast<std::uintptr_t>(found.dlfo_map_start);
  module.end = reinterpret_cast<std::uintptr_t>(found.dlfo_map_end);
  module.bias = found.dlfo_link_map->l_addr;
  module.path = found.dlfo_link_map->l_name;
  module.eh_frame_header = static_cast<const std::uint8_t*>(found.dlfo_eh_frame);
  return true;
}

const std::uint8_t* find_frame_description(const ModuleOfPc& module, std::uintptr_t pc) {
  const std::uint8_t* header = module.eh_frame_header;
  // Version 1, a count in udata4 and a sorted table of sdata4 relative to the header: what every linker writes.
  if (header == nullptr || header[0] != 1 || header[2] != 0x03 || header[3] != 0x3b) return nullptr;
  Cursor c{header + 4, header + 16};
  encoded_pointer(c, header[1]);
  const auto count = c.fixed<std::uint32_t>();
  const auto base = reinterpret_cast<std::uintptr_t>(header);
  const auto* table = reinterpret_cast<const std::int32_t*>(c.at);
  std::uint32_t low = 0, high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (base + static_cast<std::uintptr_t>(std::int64_t{table[2 * middle]}) <= pc) low = middle + 1;
    else high = middle;
  }
  if (low == 0) return nullptr;
  return reinterpret_cast<const std::uint8_t*>(base + static_cast<std::uintptr_t>(std::int64_t{table[2 * low - 1]}));
}

StepRule learn_step_rule(const ModuleOfPc& module, std::uintptr_t pc) {
  StepRule rule;
  const std::uint8_t* record = find_frame_description(module, pc);
  Description d;
  if (record == nullptr || !read_description(record, d) || pc < d.begin || pc >= d.begin + d.length) {
    rule.kind = StepRule::Kind::no_data;
    return rule;
  }
  rule.kind = StepRule::Kind::needs_libunwind;
  if (d.signal_frame || d.return_register != kReturnAddress) return rule;
  Row row;
  if (!Interpreter(d, pc).run(row)) return rule;
  if (row.return_address.how == Saved::How::undefined) {
    rule.kind = StepRule::Kind::outermost;
    return rule;
  }
  if (row.return_address.how != Saved::How::at_offset || row.return_address.offset != -8) return rule;
  StepRule step;
  if (!set_cfa(row, step) || !set_saved_bp(row, step)) return rule;
  step.kind = StepRule::Kind::step;
  return step;
}

}  // namespace memswell::probe
