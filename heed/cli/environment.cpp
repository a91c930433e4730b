#include "heed/cli/environment.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/thread_pool.h"

namespace heed {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int threads_wanted() {
  const std::string_view digits = variable("HEED_THREADS");
  if (digits.empty()) {
    return machine_threads();
  }
  int count = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (fault != std::errc{} || end != digits.data() + digits.size() || count < 1 ||
      count > ThreadPool::most_threads) {
    fail(Fault::usage,
         "HEED_THREADS: saw \"{}\", needs a whole number from 1 to {}; set it or unset it", digits,
         ThreadPool::most_threads);
  }
  return count;
}

ModelShelf model_shelf() {
  std::vector<std::string> folders;
  std::string_view rest = variable("HEED_MODELS");
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  std::error_code fault;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", fault);
  if (!fault) {
    folders.push_back((program.parent_path() / "models").string());
    folders.push_back((program.parent_path().parent_path() / "share/heed/models").string());
  }
  return ModelShelf(std::move(folders));
}

std::optional<std::string> data_folder() {
  const char* folder = std::getenv("HEED_DATA");
  return folder == nullptr ? std::nullopt : std::optional<std::string>(folder);
}

}  // namespace heed
