#include "tests/soak/soak_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace memswell::tests {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(180);
constexpr auto kPause = std::chrono::milliseconds(2);

truth_file* make_truth(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ::ftruncate(fd, sizeof(truth_file)) != 0) throw std::runtime_error("no file for the truth");
  void* memory = ::mmap(nullptr, sizeof(truth_file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (memory == MAP_FAILED) throw std::runtime_error("the truth cannot be mapped");
  return static_cast<truth_file*>(memory);
}

[[noreturn]] void become(const std::vector<std::string>& words, std::uint64_t file_size_limit) {
  ::setpgid(0, 0);
  if (file_size_limit != 0) {
    const rlimit limit{file_size_limit, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_DFL);
  }
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == child;
}

// The recorder is memswell's child, as long as that lives.
pid_t recorder_of(pid_t memswell) {
  const std::string path = fmt::format("/proc/{0}/task/{0}/children", memswell);
  std::ifstream children(path);
  for (pid_t child = 0; children >> child;)
    if (first_line(fmt::format("/proc/{}/comm", child)) == "memswell-record") return child;
  return -1;
}

}  // namespace

SoakRun::SoakRun(std::vector<std::string> options, double seconds, unsigned seed, Room room)
    : truth_(make_truth(folder_.file("truth"))) {
  const std::string place = folder_.file("room");
  std::filesystem::create_directory(place);
  if (room.file_system != 0) {
    mounted_ = ::mount("none", place.c_str(), "tmpfs", 0, fmt::format("size={}", room.file_system).c_str()) == 0;
    has_its_room_ = mounted_;
  }
  std::vector<std::string> words{MEMSWELL_BINARY, "run", "-q", "-o", recording()};
  words.insert(words.end(), options.begin(), options.end());
  for (const std::string& word : {std::string("--"), std::string(MEMSWELL_CASES "/soak"), folder_.file("truth"),
                                  std::to_string(seconds), std::to_string(seed)})
    words.push_back(word);
  memswell_ = ::fork();
  if (memswell_ == 0) become(words, room.file_size);
  const auto deadline = Clock::now() + kPatience;
  while (program() == 0 && !has_ended(memswell_) && Clock::now() < deadline) std::this_thread::sleep_for(kPause);
  recorder_ = recorder_of(memswell_);
}

SoakRun::~SoakRun() {
  ::munmap(truth_, sizeof(truth_file));
  if (mounted_) ::umount2(folder_.file("room").c_str(), MNT_DETACH);
}

pid_t SoakRun::program() const { return __atomic_load_n(&truth_->slot[0].pid, __ATOMIC_ACQUIRE); }

int SoakRun::wait(const std::function<void()>& meanwhile) {
  const auto deadline = Clock::now() + kPatience;
  int status = 0;
  while (::waitpid(memswell_, &status, WNOHANG) != memswell_) {
    if (Clock::now() > deadline) {
      ::kill(-memswell_, SIGKILL);
      ::waitpid(memswell_, &status, 0);
      return -1;
    }
    if (meanwhile) meanwhile();
    std::this_thread::sleep_for(kPause);
  }
  return status;
}

nlohmann::json SoakRun::report(bool complete) const {
  const auto deadline = Clock::now() + std::chrono::minutes(1);
  for (;;) {
    const Finished printed = run({.argv = {MEMSWELL_BINARY, "report", "--json", recording()}});
    auto document = nlohmann::json::parse(printed.out, nullptr, false);
    if (document.is_discarded()) throw std::runtime_error("no report: " + printed.err);
    if (!complete || document.at("recording").value("complete", false) || Clock::now() > deadline) return document;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace memswell::tests
