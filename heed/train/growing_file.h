// A file that only grows, on a disk that may be full for a while: what does not fit is kept in
// memory and written first the next time.
#pragma once

#include <string>
#include <string_view>

#include "heed/base/descriptor.h"

namespace heed {

class GrowingFile {
 public:
  /// What happens if the file cannot be opened for another reason than a full disk.
  enum class Unopened { fails, waits };

  /// Makes the file or continues at its end. Fault::disk where it cannot, unless the disk is full or it may wait.
  explicit GrowingFile(std::string path, Unopened unopened = Unopened::fails);

  /// Writes what is waiting and then these bytes, as far as there is room; `bytes` may be empty.
  void add(std::string_view bytes);
  /// Why something is still waiting: `path: cannot …`; empty if everything is written.
  const std::string& trouble() const { return trouble_; }

 private:
  /// Whether it is open now.
  bool is_opened();

  std::string path_;
  Unopened unopened_;
  Descriptor file_;
  std::string waiting_;
  std::string trouble_;
};

}  // namespace heed
