// A folder of another toolkit's model: its files by name, and what was read of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/base/json.h"
#include "heed/import/weight_table.h"

namespace heed {

class ModelFolder {
 public:
  explicit ModelFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string path_of(std::string_view name) const;
  bool has(std::string_view name) const;

  /// The bytes of a file that must be there: `why` says what is in it.
  std::string text(std::string_view name, std::string_view why);
  /// The same as JSON.
  Json json(std::string_view name, std::string_view why);

  /// The tensors of the first of these files that is there. One whose name ends with .index.json says
  /// in which files of this folder they are. Fault::file if none is there.
  WeightTable weights(const std::vector<std::string>& names);

  /// The names of the files that were read.
  const std::vector<std::string>& files() const { return files_; }

 private:
  WeightTable weights_by_index(const std::string& name);
  void note(std::string_view name);

  std::string path_;
  std::vector<std::string> files_;
};

}  // namespace heed
