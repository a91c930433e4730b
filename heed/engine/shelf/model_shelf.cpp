#include "heed/engine/shelf/model_shelf.h"

#include <algorithm>
#include <filesystem>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/base/suggest.h"
#include "heed/config/apply.h"
#include "heed/data/fields.h"
#include "heed/import/import.h"
#include "heed/model/file/safetensors.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".safetensors";
constexpr std::string_view about_prefix = "about.";

/// What a model reads: pictures, sound or anything else, which counts as text, as does a file that cannot
/// be read; loading it will say so.
ShelfChoice read_by(const std::string& path) {
  try {
    const std::map<std::string, std::string> metadata = read_safetensors_metadata(path);
    const auto fields = metadata.find("fields");
    if (fields == metadata.end()) {
      return ShelfChoice::text;
    }
    FieldChoice choice;
    apply(choice, parse_json(fields->second, path, {.most_values = size_t{1} << 16}));
    const Field& source = choice.source();
    const bool has_pixels = !source.has_tokens() && source.form().has_pixels();
    return has_pixels          ? ShelfChoice::pictures
           : source.is_sound() ? ShelfChoice::sound
                               : ShelfChoice::text;
  } catch (const Error&) {
    return ShelfChoice::text;
  }
}

bool is_allowed(const std::string& path, ShelfChoice choice) {
  return choice == ShelfChoice::any || read_by(path) == choice;
}

/// Fails if a path leads to no file, but the folder that it names, or the path with the ending of model
/// files, does.
void check_is_no_neighbour(const std::string& given, const std::string& who) {
  if (file_exists(given)) {
    return;
  }
  for (const std::string& other :
       {(fs::path(given) / "model.safetensors").string(), given + std::string(ending)}) {
    if (file_exists(other)) {
      fail(Fault::file, "{}: {} is {}; did you mean \"{}\"?", who, given,
           directory_exists(given) ? "a folder" : "no file", other);
    }
  }
}

}  // namespace

std::vector<ShelvedModel> ModelShelf::listed() const {
  std::vector<ShelvedModel> all;
  for (const std::string& folder : folders_) {
    if (folder.empty() || !directory_exists(folder)) {
      continue;
    }
    std::vector<std::string> files = list_directory(folder);
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) {
      if (!file.ends_with(ending) || file.size() == ending.size()) {
        continue;
      }
      ShelvedModel model;
      model.name = file.substr(0, file.size() - ending.size());
      model.path = (fs::path(folder) / file).string();
      const bool is_new = std::none_of(all.begin(), all.end(), [&](const ShelvedModel& other) {
        return other.name == model.name;
      });
      if (is_new) {
        all.push_back(std::move(model));
      }
    }
  }
  return all;
}

std::vector<ShelvedModel> ModelShelf::models() const {
  std::vector<ShelvedModel> all = listed();
  for (ShelvedModel& model : all) {
    try {
      const SafetensorsFile file = read_safetensors(model.path);
      for (const auto& [key, value] : file.metadata) {
        if (key.starts_with(about_prefix)) {
          model.about[key.substr(about_prefix.size())] = value;
        }
      }
      model.bytes = fs::file_size(model.path);
    } catch (const std::exception& error) {
      model.fault = error.what();
    }
  }
  return all;
}

std::string ModelShelf::path_of(const std::string& given, const std::string& who,
                                ShelfChoice choice) const {
  if (is_foreign_model(given)) {
    return given;
  }
  if (given.find('/') != std::string::npos || file_exists(given)) {
    check_is_no_neighbour(given, who);
    return given;
  }
  const std::vector<ShelvedModel> all = listed();
  if (given.empty()) {
    if (all.empty()) {
      fail(Fault::usage, "{}: no model is named, and none comes with this heed; name one: -m FILE",
           who);
    }
    const auto first = std::find_if(all.begin(), all.end(), [choice](const ShelvedModel& model) {
      return is_allowed(model.path, choice);
    });
    if (first == all.end()) {
      fail(Fault::usage,
           "{}: no model is named, and none that comes with this heed reads {}; name one: -m FILE",
           who,
           choice == ShelfChoice::pictures ? "pictures"
           : choice == ShelfChoice::sound  ? "sound"
                                           : "text");
    }
    return first->path;
  }
  const auto named = std::find_if(all.begin(), all.end(),
                                  [&](const ShelvedModel& model) { return model.name == given; });
  if (named != all.end()) {
    return named->path;
  }
  check_is_no_neighbour(given, who);
  if (given == "-" || given.ends_with(ending) || directory_exists(given)) {
    return given;  // loading it says what is wrong with it
  }
  std::vector<std::string> names;
  std::string listed_names;
  for (const ShelvedModel& model : all) {
    names.push_back(model.name);
    listed_names += (listed_names.empty() ? "" : ", ") + model.name;
  }
  const std::string hint = did_you_mean(given, names);
  fail(Fault::file, "{}: there is neither a file nor a model called \"{}\"{}", who, given,
       !hint.empty()   ? hint
       : names.empty() ? "; give the path of a model file"
                       : "; heed models lists " + listed_names);
}

}  // namespace heed
