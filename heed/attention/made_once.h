// Values that are made when they are first asked for, each for a key.
#pragma once

#include <deque>
#include <utility>

namespace heed {

/// Not for several threads at once.
template <class Key, class Made>
class MadeOnce {
 public:
  /// The value of this key; `make()` gives it the first time. It stays where it is.
  template <class Make>
  const Made& at(const Key& key, const Make& make) {
    for (const auto& [known, made] : all_) {
      if (known == key) {
        return made;
      }
    }
    Made made = make();
    return all_.emplace_back(key, std::move(made)).second;
  }

 private:
  std::deque<std::pair<Key, Made>> all_;
};

}  // namespace heed
