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

/// What a model must read to be chosen where none is named.
enum class ShelfChoice { any, text, pictures, sound };

class ModelShelf {
 public:
  /// Takes the folders to search, in this order; missing ones are ignored.
  explicit ModelShelf(std::vector<std::string> folders = {}) : folders_(std::move(folders)) {}

  /// Every model by name, with the description in its file; of two with the same name, the first.
  std::vector<ShelvedModel> models() const;
  /// The same with names and paths only, without reading files.
  std::vector<ShelvedModel> listed() const;
  /// The file that a user means: a path, the name of a model, or, if nothing is given, the first
  /// model that the choice allows. `who` begins the message of an Error.
  std::string path_of(const std::string& given, const std::string& who,
                      ShelfChoice choice = ShelfChoice::any) const;

 private:
  std::vector<std::string> folders_;
};

}  // namespace heed
