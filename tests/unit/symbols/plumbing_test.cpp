#include "symbols/plumbing.h"

#include <gtest/gtest.h>

#include <ostream>

namespace memswell::symbols {
namespace {

constexpr const char* kProgram = "/home/me/program";
constexpr const char* kLibc = "/usr/lib/x86_64-linux-gnu/libc.so.6";
constexpr const char* kLibstdcxx = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30";

struct Function {
  const char* name;
  const char* module = kProgram;
};

void PrintTo(const Function& function, std::ostream* out) { *out << function.name << " in " << function.module; }

class IsPlumbing : public testing::TestWithParam<Function> {};
class IsNoPlumbing : public testing::TestWithParam<Function> {};

TEST_P(IsPlumbing, Function) { EXPECT_TRUE(is_plumbing(GetParam().name, GetParam().module)) << GetParam().name; }
TEST_P(IsNoPlumbing, Function) { EXPECT_FALSE(is_plumbing(GetParam().name, GetParam().module)) << GetParam().name; }

INSTANTIATE_TEST_SUITE_P(C, IsPlumbing,
                         testing::Values(Function{"malloc"}, Function{"malloc@plt"}, Function{"calloc.part.0"},
                                         Function{"xmalloc"}, Function{"xstrdup"}, Function{"__libc_malloc"},
                                         Function{"strdup"}, Function{"__vasprintf_internal"},
                                         Function{"_IO_file_doallocate"}, Function{"anything", kLibc},
                                         Function{"", kLibc}, Function{"g_malloc0"},
                                         Function{"g_slice_alloc"}, Function{"g_strdup_printf"},
                                         Function{"anything", "/usr/local/lib/memswell/libmemswell.so"}));

INSTANTIATE_TEST_SUITE_P(Wrappers, IsPlumbing,
                         testing::Values(Function{"__wrap_malloc"}, Function{"__wrap_calloc.part.0"}, Function{"zmalloc_usable"},
                                         Function{"my_malloc(unsigned int, unsigned long, int)"}, Function{"CRYPTO_zalloc"},
                                         Function{"av_mallocz"}));

// What the loader allocates is its own: messages, module lists, thread-local blocks.
INSTANTIATE_TEST_SUITE_P(Loader, IsNoPlumbing,
                         testing::Values(Function{"dlerror", kLibc}, Function{"_dlerror_run", kLibc},
                                         Function{"", "/lib64/ld-linux-x86-64.so.2"},
                                         Function{"", "/lib/ld-musl-x86_64.so.1"}));

INSTANTIATE_TEST_SUITE_P(Cxx, IsPlumbing,
                         testing::Values(Function{"operator new(unsigned long)"},
                                         Function{"operator new[](unsigned long, std::nothrow_t const&)"},
                                         Function{"shop::Basket::operator new(unsigned long)"},
                                         Function{"std::vector<int, std::allocator<int> >::push_back(int&&)"},
                                         Function{
                                             "__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*)"},
                                         Function{"__cxa_allocate_exception"}, Function{"", kLibstdcxx}));

INSTANTIATE_TEST_SUITE_P(Rust, IsPlumbing,
                         testing::Values(Function{"__rust_alloc"}, Function{"__rdl_alloc"},
                                         Function{"alloc::raw_vec::RawVec<T,A>::grow_one"},
                                         Function{"<alloc::vec::Vec<T,A> as core::clone::Clone>::clone"},
                                         Function{"<&mut core::slice::Iter<T>>::next"},
                                         Function{"<T as alloc::string::ToString>::to_string"},
                                         Function{"<[u8]>::to_vec"}, Function{"<(A,B) as core::clone::Clone>::clone"},
                                         Function{"core::ptr::drop_in_place<(u8,shop::Item)>"},
                                         Function{"hashbrown::raw::RawTable<T,A>::reserve_rehash"},
                                         Function{"std::rt::lang_start"}));

INSTANTIATE_TEST_SUITE_P(
    Interpreters, IsPlumbing,
    testing::Values(Function{"_PyMem_RawMalloc"}, Function{"PyObject_Malloc"}, Function{"_PyObject_GC_NewVar"},
                    Function{"new_arena", "/usr/bin/python3.11"}, Function{"Perl_safesysmalloc"},
                    Function{"Perl_safesysrealloc"}, Function{"v8::internal::Malloced::operator new(unsigned long)"},
                    Function{"node::Malloc<char>(unsigned long)"},
                    Function{"os::malloc(unsigned long, MEMFLAGS)", "/usr/lib/jvm/java-17/lib/server/libjvm.so"}));

INSTANTIATE_TEST_SUITE_P(
    OfTheProgram, IsNoPlumbing,
    testing::Values(Function{"main"}, Function{""}, Function{"my_malloc_table"}, Function{"wrap_malloc_site"}, Function{"mallocate"}, Function{"make_buffer"},
                    Function{"site_strdup"}, Function{"free_list_grow"}, Function{"std_sort"},
                    Function{"shop::outer()"}, Function{"core::Engine::load(int)"},
                    Function{"alloc::pool(unsigned long) const"}, Function{"core::(anonymous namespace)::parse"},
                    Function{"<shop::Item as core::clone::Clone>::clone"}, Function{"shop::corelib::run"},
                    Function{"os::malloc(unsigned long)"}, Function{"Arena::grow()"}, Function{"new_arena"},
                    Function{"dict_resize", "/usr/bin/python3.11"}, Function{"PyDict_New"}, Function{"Perl_sv_grow"},
                    Function{"run(Basket&, std::vector<int>)"}, Function{"load", "/home/me/libcache.so"},
                    Function{
                        "main::{lambda(void* (*)(unsigned long))#1}::operator()(void* (*)(unsigned long)) const"}));

TEST(PlumbingKind, TellsAllocatorsFromWhatCallsThem) {
  EXPECT_EQ(plumbing_kind("malloc", kLibc), PlumbingKind::allocator);
  EXPECT_EQ(plumbing_kind("operator new(unsigned long)", kLibstdcxx), PlumbingKind::allocator);
  EXPECT_EQ(plumbing_kind("std::string::reserve()", kProgram), PlumbingKind::runtime);
  EXPECT_EQ(plumbing_kind("PyMem_Malloc", "/usr/bin/python3"), PlumbingKind::interpreter);
  EXPECT_EQ(plumbing_kind("malloc", "/opt/libmemswell.so"), PlumbingKind::profiler);
}

TEST(PlumbingKind, PassesOverGeneratedCode) {
  EXPECT_TRUE(is_plumbing("", ""));
  EXPECT_FALSE(is_plumbing("", kProgram));
}

TEST(Skips, AddToTheTable) {
  const std::string skips[] = {"^my_alloc", "pool"};
  const auto plumbing = Plumbing::with_skips(skips);
  ASSERT_TRUE(plumbing);
  EXPECT_EQ(plumbing->kind("my_alloc_zeroed", kProgram), PlumbingKind::user);
  EXPECT_TRUE((*plumbing)("shop::pool_get(int)", kProgram));
  EXPECT_TRUE((*plumbing)("malloc", kLibc));
  EXPECT_FALSE((*plumbing)("not_my_alloc", kProgram));
  EXPECT_FALSE(Plumbing()("my_alloc_zeroed", kProgram));
}

TEST(Skips, MustBeRegularExpressions) {
  const std::string skips[] = {"fine", "(broken"};
  const auto plumbing = Plumbing::with_skips(skips);
  ASSERT_FALSE(plumbing);
  EXPECT_EQ(plumbing.error().exit_code, ExitCode::usage);
  EXPECT_EQ(plumbing.error().sentence.find("--skip '(broken' is not a regular expression"), 0u);
}

TEST(Skips, BearNamesWithoutEnd) {
  const std::string skips[] = {"(a|b)*c"};
  const auto plumbing = Plumbing::with_skips(skips);
  ASSERT_TRUE(plumbing);
  EXPECT_EQ(plumbing->kind(std::string(1 << 20, 'a'), kProgram), std::nullopt);
}

}  // namespace
}  // namespace memswell::symbols
