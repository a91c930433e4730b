// apart FOLDER: takes each model file of the folder apart and puts it together again, which must give
// the same file. Otherwise the mutator would quietly change nothing but the headers of such files.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/model_tensors.h"

namespace heed::fuzz {
namespace {

/// Behind the header there may be blanks, which need not come back.
std::string without_blanks(const std::string& header) {
  return header.substr(0, header.find_last_not_of(' ') + 1);
}

bool is_put_together_again(const std::string& file) {
  const ModelParts parts = parts_of(file);
  const auto model = tensors_of(parts);
  if (!model || model->tensors.empty() || model->metadata.empty()) {
    return false;
  }
  for (const auto& [key, value] : model->metadata) {
    if (quoted(unquoted(value)) != value) {
      return false;
    }
  }
  const ModelParts again = parts_of(*model);
  return again.header == without_blanks(parts.header) && again.data == parts.data;
}

int check(const std::string& folder) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    if (!is_put_together_again({std::istreambuf_iterator<char>(file), {}})) {
      std::fprintf(stderr, "apart: saw another file after putting %s together again\n",
                   entry.path().c_str());
      return 1;
    }
    ++files;
  }
  return files == 0 ? 1 : 0;
}

}  // namespace
}  // namespace heed::fuzz

int main(int count, char** words) { return count == 2 ? heed::fuzz::check(words[1]) : 2; }
