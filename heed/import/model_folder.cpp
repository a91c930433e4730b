#include "heed/import/model_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "heed/base/file.h"
#include "heed/base/json_reader.h"
#include "heed/import/formats.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

constexpr std::size_t most_text_bytes = std::size_t{1} << 25;
constexpr JsonLimits text_limits{
    .most_bytes = most_text_bytes, .most_depth = 64, .most_values = std::size_t{1} << 19};

}  // namespace

std::string ModelFolder::path_of(std::string_view name) const {
  return (std::filesystem::path(path_) / name).string();
}

bool ModelFolder::has(std::string_view name) const { return file_exists(path_of(name)); }

void ModelFolder::note(std::string_view name) {
  if (std::find(files_.begin(), files_.end(), name) == files_.end()) {
    files_.emplace_back(name);
  }
}

std::string ModelFolder::text(std::string_view name, std::string_view why) {
  if (!has(name)) {
    fail(Fault::file, "{}: there is no {}, which has {}; get the whole folder", path_, name, why);
  }
  note(name);
  return read_file(path_of(name), most_text_bytes);
}

Json ModelFolder::json(std::string_view name, std::string_view why) {
  return parse_json(text(name, why), path_of(name), text_limits);
}

WeightTable ModelFolder::weights(const std::vector<std::string>& names) {
  std::string listed;
  for (const std::string& name : names) {
    if (has(name)) {
      note(name);
      return name.ends_with(".index.json") ? weights_by_index(name) : read_weights(path_of(name));
    }
    listed += (listed.empty() ? "" : ", ") + name;
  }
  fail(Fault::file, "{}: there are no weights: none of {}; get the whole folder", path_, listed);
}

WeightTable ModelFolder::weights_by_index(const std::string& name) {
  const std::string path = path_of(name);
  const Json index = json(name, "the names of the files with weights");
  const JsonReader map = JsonReader(index, path).at("weight_map");
  std::map<std::string, std::set<std::string>> names_in;
  for (const auto& [tensor, file] : map.members()) {
    const std::string& in = file.text();
    if (in.empty() || in.find('/') != std::string::npos || in.find('\\') != std::string::npos ||
        in.starts_with('.') || in.ends_with(".index.json")) {
      fail(Fault::file,
           "{}: the tensor {} is said to be in \"{}\", which is no file of this folder", path,
           make_visible(tensor), make_visible(in));
    }
    names_in[in].insert(tensor);
  }
  WeightTable all;
  for (const auto& [file, wanted] : names_in) {
    if (!has(file)) {
      fail(Fault::file, "{}: there is no {}, which {} names; get the whole folder", path_,
           make_visible(file), name);
    }
    note(file);
    WeightTable some = read_weights(path_of(file));
    for (FileTensor& tensor : some.tensors) {
      if (wanted.count(tensor.name) > 0) {
        all.tensors.push_back(std::move(tensor));
      }
    }
    for (auto& [other, what] : some.others) {
      if (wanted.count(other) > 0) {
        all.others[other] = what;
      }
    }
  }
  return all;
}

}  // namespace heed
