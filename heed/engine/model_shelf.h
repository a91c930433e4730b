// Models by name: *.safetensors in some folders.
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

class ModelShelf {
 public:
  /// Those of the folders that there are, looked through in this order.
  explicit ModelShelf(std::vector<std::string> folders = {}) : folders_(std::move(folders)) {}

  /// Every model by name, with what its file says of itself; the first of two with one name.
  std::vector<ShelvedModel> models() const;
  /// The file that a user means: a path, the name of a model on the shelf, or, where nothing is
  /// given, the first on the shelf. `who` asks.
  std::string path_of(const std::string& given, const std::string& who) const;

 private:
  /// Names and paths only; nothing is read.
  std::vector<ShelvedModel> listed() const;

  std::vector<std::string> folders_;
};

}  // namespace heed
