// Models that come with heed: *.safetensors in the folders of HEED_MODELS (colons between them), in
// `models` beside the executable, and in share/heed/models of where it is installed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heed {

struct ShelvedModel {
  std::string name;  // of its file, without the ending
  std::string path;
  uint64_t bytes = 0;
  std::map<std::string, std::string> about;  // languages, domain, score, licence …
  std::string fault;                         // why it cannot be read; empty: it can
};

/// The folders that there are, in the order they are looked through.
std::vector<std::string> model_folders();
/// Every model on the shelf by name; the first of two with one name.
std::vector<ShelvedModel> shelved_models();

/// The file that a user means: a path, the name of a model on the shelf, or, where nothing is
/// given, the first on the shelf. `who` asks.
std::string model_path(const std::string& given, const std::string& who);

}  // namespace heed
