// A format: how another toolkit writes tensors into a file. Whatever is in the file, nothing of it is
// executed, and what is not as it should be is an Error (Fault::file).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heed/import/weight_table.h"

namespace heed {

class Format {
 public:
  virtual ~Format() = default;
  /// Whether a file of this format begins with these bytes, 16 or fewer.
  virtual bool begins(std::string_view first) const = 0;
  /// The bytes of the tensors stay where they are. `who` names the file.
  virtual WeightTable read(const std::shared_ptr<const ByteSource>& bytes,
                           const std::string& who) const = 0;
};

}  // namespace heed
