#include "symbols/demangle.h"

#include <gtest/gtest.h>

namespace memswell::symbols {
namespace {

struct Case {
  const char* mangled;
  const char* name;
};

class Demangle : public testing::TestWithParam<Case> {};

TEST_P(Demangle, Name) { EXPECT_EQ(demangle(GetParam().mangled), GetParam().name); }

INSTANTIATE_TEST_SUITE_P(
    Cxx, Demangle,
    testing::Values(Case{"_Znwm", "operator new(unsigned long)"},
                    Case{"_ZN4shop6Basket3addEi", "shop::Basket::add(int)"},
                    Case{"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()"}, Case{"_ZN3FooC4Ev", "Foo::Foo()"},
                    Case{"_ZN4shop7doubledIlEET_S1_", "shop::doubled<long>(long)"},  // its return type left out
                    Case{"_Z3foov.part.0", "foo()"}, Case{"_Z3foov.constprop.0.cold", "foo()"},
                    Case{"_ZNSt6vectorIiSaIiEE9push_backEOi",
                         "std::vector<int, std::allocator<int> >::push_back(int&&)"}));

INSTANTIATE_TEST_SUITE_P(
    Rust, Demangle,
    testing::Values(Case{"_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17h0123456789abcdefE",
                         "alloc::raw_vec::RawVec<T,A>::grow_one"},
                    Case{"_ZN4core3fmt5write17h01234567890abcdfE", "core::fmt::write"},
                    Case{"_ZN71_$LT$T$u20$as$u20$alloc..string..ToString$GT$9to_string17h0123456789abcdefE",
                         "_ZN71_$LT$T$u20$as$u20$alloc..string..ToString$GT$9to_string17h0123456789abcdefE"},
                    Case{"_RNvC6_123foo3bar", "123foo::bar"},
                    Case{"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
                    Case{"_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>"}));

INSTANTIATE_TEST_SUITE_P(NotMangled, Demangle,
                         testing::Values(Case{"", ""}, Case{"main", "main"}, Case{"_", "_"}, Case{"_Z", "_Z"},
                                         Case{"_ZN", "_ZN"}, Case{"_Zebra", "_Zebra"},
                                         Case{"__libc_malloc", "__libc_malloc"}, Case{"cee.isra.0", "cee"},
                                         Case{".hidden", ".hidden"}));

TEST(DemangleLimits, LeavesNamesWithoutEndAlone) {
  const std::string endless = "_Z" + std::string(1 << 20, 'P') + "i";
  EXPECT_EQ(demangle(endless.c_str()), endless);
}

}  // namespace
}  // namespace memswell::symbols
