// Makes seeds for the fuzzers from recordings: the file itself and its columns laid flat.
//
//   hostile_seeds CORPUS RECORDING …
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/hostile/forge.h"

namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  std::printf("%s: %zu bytes\n", path.c_str(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const fs::path corpus = argv[1];
  for (int i = 2; i < argc; ++i) {
    const fs::path recording = argv[i];
    std::ifstream file(recording, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    write(corpus / "recording" / recording.stem(), bytes);
    write(corpus / "columns" / recording.stem(), memswell::hostile::flat(memswell::hostile::columns_of(bytes)));
  }
}
