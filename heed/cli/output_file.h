// --output FILE: what the program prints goes into a file that appears whole when the program is done,
// or not at all: a signal that ends the program takes the unfinished file with it.
#pragma once

#include <memory>
#include <string>

#include "heed/base/atomic_file.h"
#include "heed/base/descriptor.h"

namespace heed {

class OutputFile {
 public:
  /// Redirects standard output; an empty path leaves it as it is.
  explicit OutputFile(const std::string& path);
  /// Gives standard output back; the file is discarded unless committed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void commit();

 private:
  void give_back();
  void guard();
  static void unguard();

  std::unique_ptr<AtomicFile> file_;
  Descriptor before_;
};

}  // namespace heed
