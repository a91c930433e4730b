#include "heed/backend/all/backends.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/backend/reference/reference_backend.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/suggest.h"
#include "heed/device/backend_library.h"

namespace heed {
namespace {

/// A backend that is part of the program.
struct OwnBackend {
  std::string_view name;
  std::unique_ptr<Backend> (*make)();
};
constexpr std::array<OwnBackend, 2> own_backends = {
    {{"cpu", cpu_backend}, {"reference", reference_backend}}};

/// Libraries that people may look for, and `heed doctor` misses.
constexpr std::array<std::string_view, 1> expected_libraries = {"cuda"};

constexpr std::string_view library_begin = "libheed_";
constexpr std::string_view library_end = ".so";

/// "cuda:1" is device 1 of the kind cuda, and "cuda" is device 0.
struct BackendName {
  std::string kind;
  std::optional<int> device;
};

/// Nothing if there is no number behind the colon.
std::optional<BackendName> parse_backend(const std::string& name) {
  const size_t colon = name.find(':');
  if (colon == std::string::npos) {
    return BackendName{name, std::nullopt};
  }
  int device = 0;
  const char* const end = name.data() + name.size();
  const auto [stopped, fault] = std::from_chars(name.data() + colon + 1, end, device);
  const bool is_number = fault == std::errc() && stopped == end && device >= 0;
  return is_number ? std::optional(BackendName{name.substr(0, colon), device}) : std::nullopt;
}

/// Where libraries may lie: next to the program, or in lib/heed where it is installed.
std::vector<std::string> library_folders() {
  std::error_code fault;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", fault);
  if (fault) {
    return {};
  }
  return {program.parent_path().string(),
          (program.parent_path().parent_path() / "lib/heed").string()};
}

bool is_kind(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
}

/// The libraries that are there, by the names of their kinds.
std::map<std::string, std::string> backend_libraries() {
  std::map<std::string, std::string> paths;
  for (const std::string& folder : library_folders()) {
    for (const std::string& file :
         directory_exists(folder) ? list_directory(folder) : std::vector<std::string>()) {
      if (!file.starts_with(library_begin) || !file.ends_with(library_end) ||
          file.size() <= library_begin.size() + library_end.size()) {
        continue;
      }
      const std::string kind = file.substr(library_begin.size(),
                                           file.size() - library_begin.size() - library_end.size());
      if (is_kind(kind)) {
        paths.try_emplace(kind, std::filesystem::path(folder) / file);
      }
    }
  }
  return paths;
}

const OwnBackend* own_backend(std::string_view name) {
  const auto* const found =
      std::find_if(own_backends.begin(), own_backends.end(),
                   [name](const OwnBackend& one) { return one.name == name; });
  return found == own_backends.end() ? nullptr : found;
}

std::string missing_library(std::string_view kind) {
  return fmt::format("there is no {}{}{} beside the program", library_begin, kind, library_end);
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) {
    all += (all.empty() ? "" : ", ") + name;
  }
  return all;
}

struct MadeBackends {
  std::mutex guard;
  std::map<std::string, std::unique_ptr<Backend>> by_name;
  int64_t limit_bytes = 0;
};

MadeBackends& made_backends() {
  // Never destroyed, because tensors with static lifetime may outlive every other static object.
  static auto* all = new MadeBackends;
  return *all;
}

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const OwnBackend& one : own_backends) {
    names.emplace_back(one.name);
  }
  for (const auto& [kind, path] : backend_libraries()) {
    names.push_back(kind);
  }
  return names;
}

std::string fault_of_backend(const std::string& name) {
  const auto parsed = parse_backend(name);
  const std::string kind = parsed ? parsed->kind : name.substr(0, name.find(':'));
  const std::vector<std::string> names = backend_names();
  if (std::find(names.begin(), names.end(), kind) == names.end()) {
    const bool is_expected = std::find(expected_libraries.begin(), expected_libraries.end(),
                                       kind) != expected_libraries.end();
    return is_expected ? fmt::format("{}; choose one of {}", missing_library(kind), listed(names))
                       : fmt::format("unknown \"{}\"; choose one of {}{}", name, listed(names),
                                     did_you_mean(kind, names));
  }
  if (!parsed) {
    return fmt::format("\"{}\" has no number behind the colon; write {}", name, kind);
  }
  if (parsed->device && own_backend(kind) != nullptr) {
    return fmt::format("there is one {}; leave :{} out", kind, *parsed->device);
  }
  return "";
}

std::unique_ptr<Backend> make_backend(const std::string& name) {
  if (const std::string fault = fault_of_backend(name); !fault.empty()) {
    fail(Fault::usage, "backend: {}", fault);
  }
  const BackendName parsed = *parse_backend(name);
  if (const OwnBackend* own = own_backend(parsed.kind)) {
    return own->make();
  }
  return open_backend_library(backend_libraries().at(parsed.kind), parsed.device.value_or(0));
}

Backend& find_backend(const std::string& name) {
  MadeBackends& made = made_backends();
  const std::lock_guard lock(made.guard);
  const auto parsed = parse_backend(name);
  const bool has_devices = parsed && own_backend(parsed->kind) == nullptr;
  const std::string key =  // "cuda" is "cuda:0"
      has_devices ? fmt::format("{}:{}", parsed->kind, parsed->device.value_or(0)) : name;
  if (const auto found = made.by_name.find(key); found != made.by_name.end()) {
    return *found->second;
  }
  std::unique_ptr<Backend> backend = make_backend(name);
  backend->allocator().set_limit(made.limit_bytes);
  return *made.by_name.emplace(key, std::move(backend)).first->second;
}

void limit_backends(int64_t bytes) {
  MadeBackends& made = made_backends();
  const std::lock_guard lock(made.guard);
  made.limit_bytes = bytes;
  for (const auto& [name, backend] : made.by_name) {
    backend->allocator().set_limit(bytes);
  }
}

std::vector<FoundBackend> look_for_backends() {
  std::vector<FoundBackend> all;
  for (const OwnBackend& one : own_backends) {
    all.push_back({std::string(one.name), ""});
  }
  std::map<std::string, std::string> libraries = backend_libraries();
  for (const auto& [kind, path] : libraries) {
    try {
      make_backend(kind);
      all.push_back({kind, ""});
    } catch (const std::exception& error) {
      all.push_back({kind, error.what()});
    }
  }
  for (const std::string_view kind : expected_libraries) {
    if (!libraries.contains(std::string(kind))) {
      all.push_back({std::string(kind), missing_library(kind)});
    }
  }
  return all;
}

}  // namespace heed
