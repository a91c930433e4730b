#include "heed/base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "heed/base/error.h"

namespace heed {

TemporaryFolder::TemporaryFolder() {
  std::error_code trouble;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(trouble);
  path_ = ((trouble ? "/tmp" : parent) / "heed-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) {
    fail(Fault::disk, "{}: a temporary folder cannot be made: {}; set TMPDIR to a folder with room",
         path_, std::strerror(errno));
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what cannot be removed stays for the system to clean up
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace heed
