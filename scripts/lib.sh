# Shared by the scripts beside it; source it after `cd` into the root of the tree.

say() { printf '%s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# A compiler cache makes second builds quick; it is used where there is one and never asked for.
if command -v ccache >/dev/null 2>&1; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

# build PRESET [TARGET…]: configures and builds build/PRESET; quiet unless something is wrong with the configuration.
build() {
  preset=$1; shift
  cmake --preset "$preset" --log-level=WARNING >/dev/null || fail "configuring build/$preset failed"
  if [ $# -gt 0 ]; then
    cmake --build --preset "$preset" -j"$(nproc)" --target "$@"
  else
    cmake --build --preset "$preset" -j"$(nproc)"
  fi || fail "building build/$preset failed"
}
