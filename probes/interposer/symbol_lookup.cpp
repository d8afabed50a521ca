#include "symbol_lookup.h"

#include "memory.h"

// _r_debug (ld.so's list of modules) and _DYNAMIC (our own dynamic section) are declared by <link.h>.

namespace memswell::probe {
namespace {

struct SymbolTables {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const std::uint32_t* gnu_hash = nullptr;
  const std::uint16_t* versions = nullptr;
};

// d_ptr is relocated by glibc for all modules but the vDSO.
SymbolTables tables_of(const link_map* module) {
  SymbolTables t;
  auto relocated = [&](ElfW(Addr) p) { return p < module->l_addr ? p + module->l_addr : p; };
  for (const ElfW(Dyn)* d = module->l_ld; d->d_tag != DT_NULL; ++d) {
    switch (d->d_tag) {
      case DT_SYMTAB: t.symbols = reinterpret_cast<const ElfW(Sym)*>(relocated(d->d_un.d_ptr)); break;
      case DT_STRTAB: t.strings = reinterpret_cast<const char*>(relocated(d->d_un.d_ptr)); break;
      case DT_GNU_HASH: t.gnu_hash = reinterpret_cast<const std::uint32_t*>(relocated(d->d_un.d_ptr)); break;
      case DT_VERSYM: t.versions = reinterpret_cast<const std::uint16_t*>(relocated(d->d_un.d_ptr)); break;
      default: break;
    }
  }
  return t;
}

std::uint32_t gnu_hash_of(const char* name) {
  std::uint32_t h = 5381;
  for (; *name != 0; ++name) h = h * 33 + static_cast<unsigned char>(*name);
  return h;
}

bool usable(const ElfW(Sym) & s, const SymbolTables& t, std::size_t index) {
  const unsigned type = s.st_info & 0xf, bind = s.st_info >> 4;
  if (s.st_shndx == SHN_UNDEF || s.st_value == 0) return false;
  if (bind != STB_GLOBAL && bind != STB_WEAK) return false;
  if (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE && type != STT_GNU_IFUNC) return false;
  constexpr std::uint16_t kHidden = 0x8000;  // not the default version
  return t.versions == nullptr || (t.versions[index] & kHidden) == 0;
}

void* resolve(const link_map* module, const ElfW(Sym) & s) {
  const auto address = module->l_addr + s.st_value;
  if ((s.st_info & 0xf) == STT_GNU_IFUNC) return reinterpret_cast<void* (*)()>(address)();
  return reinterpret_cast<void*>(address);
}

}  // namespace

void* find_in_module(const link_map* module, const char* name) {
  const SymbolTables t = tables_of(module);
  if (t.symbols == nullptr || t.strings == nullptr || t.gnu_hash == nullptr) return nullptr;
  // The layout of DT_GNU_HASH: buckets, first symbol, bloom words, shift; bloom; buckets; chains.
  const std::uint32_t buckets = t.gnu_hash[0], first = t.gnu_hash[1], bloom = t.gnu_hash[2];
  if (buckets == 0) return nullptr;
  const std::uint32_t* bucket = t.gnu_hash + 4 + bloom * (sizeof(ElfW(Addr)) / 4);
  const std::uint32_t* chain = bucket + buckets;
  const std::uint32_t hash = gnu_hash_of(name);
  std::uint32_t i = bucket[hash % buckets];
  if (i < first) return nullptr;
  for (;; ++i) {
    const std::uint32_t h = chain[i - first];
    if ((h | 1) == (hash | 1) && equal_text(t.strings + t.symbols[i].st_name, name) && usable(t.symbols[i], t, i)) {
      return resolve(module, t.symbols[i]);
    }
    if ((h & 1) != 0) return nullptr;
  }
}

const link_map* first_module() { return _r_debug.r_map; }

const link_map* own_module() {
  for (const link_map* m = _r_debug.r_map; m != nullptr; m = m->l_next) {
    if (m->l_ld == _DYNAMIC) return m;
  }
  return nullptr;
}

const link_map* loader_module() {
  for (const link_map* m = _r_debug.r_map; m != nullptr; m = m->l_next) {
    if (m->l_addr != 0 && m->l_addr == _r_debug.r_ldbase) return m;
  }
  return nullptr;
}

void* find_next(const char* name, const link_map** module) {
  const link_map* own = own_module();
  for (const link_map* m = own == nullptr ? nullptr : own->l_next; m != nullptr; m = m->l_next) {
    if (void* found = find_in_module(m, name)) {
      if (module != nullptr) *module = m;
      return found;
    }
  }
  return nullptr;
}

void* find_first(const char* name, const link_map** module) {
  for (const link_map* m = _r_debug.r_map; m != nullptr; m = m->l_next) {
    if (void* found = find_in_module(m, name)) {
      if (module != nullptr) *module = m;
      return found;
    }
  }
  return nullptr;
}

void* find_in_libc(const char* name) {
  for (const link_map* m = _r_debug.r_map; m != nullptr; m = m->l_next) {
    const char* base = m->l_name;
    for (const char* p = m->l_name; *p != 0; ++p) {
      if (*p == '/') base = p + 1;
    }
    if (starts_with(base, "libc.so.")) return find_in_module(m, name);
  }
  return nullptr;
}

}  // namespace memswell::probe
