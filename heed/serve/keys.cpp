#include "heed/serve/keys.h"

namespace heed {

Keys::Keys(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    digests_.push_back(Sha256().update(key).finish());
  }
}

std::optional<std::size_t> Keys::find(std::string_view key) const {
  const Sha256::Digest given = Sha256().update(key).finish();
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < digests_.size(); ++i) {
    unsigned differs = 0;
    for (std::size_t j = 0; j < given.size(); ++j) {
      differs |= static_cast<unsigned>(given[j] ^ digests_[i][j]);
    }
    if (differs == 0) {
      found = i;
    }
  }
  return found;
}

}  // namespace heed
