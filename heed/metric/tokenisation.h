// How BLEU splits a line into words, equal to sacreBLEU's tokenisation of the same name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

class Tokenisation {
 public:
  virtual ~Tokenisation() = default;
  /// Its name in the catalogue and in signatures.
  virtual std::string_view name() const = 0;
  virtual std::vector<std::u32string> tokens(std::u32string_view line) const = 0;
};

}  // namespace heed
