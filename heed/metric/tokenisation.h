// How BLEU cuts a line into words. Equal to sacreBLEU's of the same name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

class Tokenisation {
 public:
  virtual ~Tokenisation() = default;
  /// As the catalogue and the signature name it.
  virtual std::string_view name() const = 0;
  virtual std::vector<std::u32string> tokens(std::u32string_view line) const = 0;
};

}  // namespace heed
