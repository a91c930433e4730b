// A file that only grows, on a disk that may be full for a while: what does not fit waits in memory
// and goes first the next time.
#pragma once

#include <string>
#include <string_view>

#include "heed/base/descriptor.h"

namespace heed {

class GrowingFile {
 public:
  /// Makes it, or goes on at its end; Fault::disk where it cannot for another reason than a full
  /// disk.
  explicit GrowingFile(std::string path);

  /// Writes what waits and then these bytes, as far as there is room; without bytes, what waits.
  void add(std::string_view bytes);
  /// Why something still waits: `path: cannot …`; empty where all is written.
  const std::string& trouble() const { return trouble_; }

 private:
  /// Whether it is open now.
  bool is_opened();

  std::string path_;
  Descriptor file_;
  std::string waiting_;
  std::string trouble_;
};

}  // namespace heed
