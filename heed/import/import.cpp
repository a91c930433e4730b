#include "heed/import/import.h"

#include "heed/base/descriptor.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/sha256.h"
#include "heed/import/families.h"
#include "heed/import/hugging_face.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

/// Fault::file that says which families there are.
[[noreturn]] void fail_unknown(ModelFolder& folder) {
  std::string names;
  for (const auto& entry : families()) {
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  const std::string type = model_type(folder);
  if (type.empty()) {
    fail(Fault::file,
         "{}: there is no {} that says what this model is; give the folder of one of {}",
         folder.path(), config_file, names);
  }
  fail(Fault::file, "{}: models of the kind \"{}\" cannot be imported, only those of {}",
       folder.path(), make_visible(type.substr(0, 60)), names);
}

std::string sha256_of_file(const std::string& path) {
  constexpr std::size_t at_once = std::size_t{1} << 20;
  const Descriptor file = open_to_read(path);
  Sha256 hash;
  std::string piece(at_once, '\0');
  for (std::size_t got = 1; got > 0;) {
    got = read_some(file, path, piece.data(), piece.size());
    hash.update(piece.data(), got);
  }
  return hash.finish_hex();
}

struct ReadFolder {
  SafetensorsFile contents;
  std::string family;
};

ReadFolder read_folder(ModelFolder& folder) {
  for (const auto& entry : families()) {
    const auto family = entry.make();
    if (family->owns(folder)) {
      return {family->read(folder), entry.name};
    }
  }
  fail_unknown(folder);
}

}  // namespace

bool is_foreign_model(const std::string& path) {
  const ModelFolder folder(path);
  return directory_exists(path) &&
         (folder.has(config_file) || folder.has("vocab.json") || folder.has("pytorch_model.bin"));
}

ImportedModel import_model(const std::string& path, const Place& place) {
  ModelFolder folder(path);
  ReadFolder read = read_folder(folder);
  read.contents.metadata["about.imported"] = read.family;
  for (const std::string& file : folder.files()) {
    read.contents.metadata["about.sha256 of " + make_visible(file)] =
        sha256_of_file(folder.path_of(file));
  }
  ImportedModel model{model_from(read.contents, place, path), std::move(read.contents),
                      std::move(read.family)};
  model.contents.metadata = model_contents(model.trained).metadata;
  return model;
}

TrainedModel load_any_model(const std::string& path, const Place& place) {
  if (!is_foreign_model(path)) {
    return load_model(path, place);
  }
  ModelFolder folder(path);
  return model_from(read_folder(folder).contents, place, path);
}

}  // namespace heed
