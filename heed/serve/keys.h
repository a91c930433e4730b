// The keys that let clients in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/sha256.h"

namespace heed {

class Keys {
 public:
  explicit Keys(const std::vector<std::string>& keys);

  bool are_there() const { return !digests_.empty(); }
  /// The number of the key. How long it takes depends neither on which key it is nor on how much of
  /// one was guessed.
  std::optional<std::size_t> find(std::string_view key) const;

 private:
  std::vector<Sha256::Digest> digests_;
};

}  // namespace heed
