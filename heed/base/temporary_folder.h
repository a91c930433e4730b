// A new, empty folder among the system's temporary files, removed with what is in it.
#pragma once

#include <string>

namespace heed {

class TemporaryFolder {
 public:
  /// Fault::disk if it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  /// The path of something in it.
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace heed
