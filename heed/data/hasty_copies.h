// Training pairs once more, with the source as if it were typed in haste: in small letters and without the
// mark at its end. A model that learns them understands "hello" as it understands "Hello!".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heed/data/row.h"

namespace heed {

/// "Where is Tom?" → "where is tom"; a text that is only marks stays as it is.
std::string in_haste(std::string_view text);

class HastyCopies {
 public:
  /// A share of the pairs from 0 to 1; which of them depends on their numbers alone.
  HastyCopies(double share, const TakePair& take) : share_(share), take_(take) {}
  /// Hands on the pair, and its copy if it has one that differs.
  void operator()(std::string_view source, std::string_view target);

 private:
  double share_;
  const TakePair& take_;
  std::uint64_t pairs_ = 0;
};

}  // namespace heed
