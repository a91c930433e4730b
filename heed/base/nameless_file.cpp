#include "heed/base/nameless_file.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace heed {

Descriptor nameless_file(const std::string& folder) {
  constexpr const char* ending = ".tmp";  // a run's folder is cleared of leftovers of this name
  std::string path = folder + "/.heed-XXXXXX" + ending;
  Descriptor file(::mkstemps(path.data(), static_cast<int>(std::strlen(ending))));
  if (file.is_open()) {
    ::unlink(path.c_str());
  }
  return file;
}

std::string temporary_folder() {
  std::error_code trouble;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(trouble);
  return trouble ? "/tmp" : folder.string();
}

}  // namespace heed
