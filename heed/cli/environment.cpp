#include "heed/cli/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/suggest.h"
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
         "HEED_THREADS: must be a whole number from 1 to {1}, not \"{0}\"; set it or unset it",
         digits, ThreadPool::most_threads);
  }
  return count;
}

namespace {

/// The folders that the variable lists, then `name` next to the program, then share/heed/`name`.
std::vector<std::string> folders_of(const char* list, const std::string& name) {
  std::vector<std::string> folders;
  std::string_view rest = variable(list);
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  std::error_code fault;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", fault);
  if (!fault) {
    folders.push_back((program.parent_path() / name).string());
    folders.push_back((program.parent_path().parent_path() / "share/heed" / name).string());
  }
  return folders;
}

}  // namespace

ModelShelf model_shelf() { return ModelShelf(folders_of("HEED_MODELS", "models")); }

std::vector<std::pair<std::string, std::string>> shelved_recipes() {
  constexpr std::string_view ending = ".toml";
  std::map<std::string, std::string> paths;
  for (const std::string& folder : folders_of("HEED_RECIPES", "recipes")) {
    for (const std::string& file :
         directory_exists(folder) ? list_directory(folder) : std::vector<std::string>()) {
      if (file.ends_with(ending)) {
        paths.try_emplace(file.substr(0, file.size() - ending.size()),
                          fmt::format("{}/{}", folder, file));
      }
    }
  }
  return {paths.begin(), paths.end()};
}

namespace {

std::string some_of(std::vector<std::string> names) {
  constexpr size_t most = 6;
  const size_t further = names.size() - std::min(names.size(), most);
  names.resize(names.size() - further);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     further == 0 ? "" : fmt::format(" and {} more", further));
}

}  // namespace

std::string recipe_path(const std::string& given) {
  const bool is_path =
      given == "-" || given.find('/') != std::string::npos || given.ends_with(".toml");
  if (is_path || file_exists(given)) {
    return given;
  }
  std::vector<std::string> names;
  std::vector<std::string> begun;
  for (const auto& [name, path] : shelved_recipes()) {
    if (name == given) {
      return path;
    }
    names.push_back(name);
    if (name.starts_with(given)) {
      begun.push_back(name);
    }
  }
  if (directory_exists(given)) {
    return given;  // reading it says what is wrong with it
  }
  const std::string here = given + ".toml";
  const std::string hint = file_exists(here)  ? fmt::format("; did you mean \"{}\"?", here)
                           : begun.size() > 1 ? "; there are " + some_of(begun)
                                              : did_you_mean(given, names);
  fail(Fault::file, "train: there is neither a file nor a recipe called \"{}\"{}", given,
       !hint.empty()   ? hint
       : names.empty() ? "; give the path of a recipe"
                       : fmt::format("; the recipes are {}", fmt::join(names, ", ")));
}

PathRoots path_roots(const std::string& recipe) {
  PathRoots roots{.recipe = folder_of_recipe(recipe)};
  if (const char* data = std::getenv("HEED_DATA")) {
    roots.data = data;
  }
  return roots;
}

}  // namespace heed
