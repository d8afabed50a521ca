// Runs a fuzz target without libFuzzer: every file of the folders given, each cut in a few places, then random damage
// to them from a fixed seed. So the corpora are tests with any compiler.
//
//   replay ROUNDS FOLDER …
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "base/under_sanitizer.h"
#include "tests/hostile/target.h"

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

constexpr unsigned kSecondsAnInput = 30;
constexpr rlim_t kMemory = rlim_t{2} << 30;

std::vector<Bytes> inputs_in(const std::vector<fs::path>& folders) {
  std::vector<fs::path> paths;
  for (const fs::path& folder : folders)
    for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> inputs;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

void damage(Bytes& bytes, std::mt19937& random) {
  if (bytes.empty()) return bytes.push_back(static_cast<std::uint8_t>(random()));
  const std::size_t at = random() % bytes.size();
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  const std::size_t length = std::min<std::size_t>(bytes.size() - at, 1 + random() % 16);
  switch (random() % 6) {
    case 0: *place = static_cast<std::uint8_t>(random()); return;
    case 1: *place ^= static_cast<std::uint8_t>(1u << random() % 8); return;
    case 2: bytes.resize(at); return;
    case 3: bytes.insert(place, length, 0xff); return;
    case 4: std::fill_n(place, length, std::uint8_t{0}); return;
    default: {
      const Bytes copy(place, place + static_cast<std::ptrdiff_t>(length));
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random() % bytes.size()), copy.begin(), copy.end());
    }
  }
}

void run(const Bytes& input) {
  alarm(kSecondsAnInput);  // an endless loop ends the test
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if constexpr (!memswell::kUnderSanitizer) {
    const rlimit limit{kMemory, kMemory};
    setrlimit(RLIMIT_DATA, &limit);
  }
  const long rounds = std::strtol(argv[1], nullptr, 10);
  const std::vector<Bytes> inputs = inputs_in({argv + 2, argv + argc});
  if (inputs.empty()) return std::fprintf(stderr, "no input in %s\n", argv[2]), 1;
  for (const Bytes& input : inputs) run(input);
  std::mt19937 random(20261130);
  for (long round = 0; round < rounds; ++round) {
    Bytes input = inputs[random() % inputs.size()];
    for (auto times = 1 + random() % 4; times != 0; --times) damage(input, random);
    run(input);
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::printf("%zu inputs, %ld damaged ones; peak memory %ld KiB\n", inputs.size(), rounds, used.ru_maxrss);
  return 0;
}
