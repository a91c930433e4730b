// replay FOLDER: calls the target for each file of the folder, in the order of their names, and for
// some damaged forms of each: cut off at every eighth of its length, and with bytes turned over. Any
// compiler builds it, so that `make test` replays the corpus without libFuzzer.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"

namespace {

void call(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// The number of inputs that were tried.
std::size_t replay(const std::string& bytes) {
  call(bytes);
  std::size_t count = 1;
  for (std::size_t eighth = 0; eighth < 8; ++eighth, ++count) {
    call(bytes.substr(0, bytes.size() * eighth / 8));
  }
  for (std::size_t part = 0; part < 16 && !bytes.empty(); ++part, ++count) {
    std::string damaged = bytes;
    char& letter = damaged[(part * 2654435761U + bytes.size()) % bytes.size()];
    letter = static_cast<char>(letter ^ (1 << part % 8));
    call(damaged);
  }
  return count;
}

int replay_all(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::size_t inputs = 0;
  for (const auto& path : files) {
    std::fprintf(stderr, "%s\n", path.c_str());
    std::ifstream file(path, std::ios::binary);
    inputs += replay({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
  }
  std::fprintf(stderr, "replay: %zu files, %zu inputs\n", files.size(), inputs);
  return files.empty() ? 1 : 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "replay: needs one folder of inputs\n");
    return 2;
  }
  try {
    return replay_all(words[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "replay: an exception left the target: %s\n", error.what());
    return 1;
  }
}
