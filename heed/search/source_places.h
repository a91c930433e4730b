// Where the sources of a search's sentences are kept: each has a place among those for which the decoders have
// room. A sentence that ends frees its place, and the next that joins takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heed {

class SourcePlaces {
 public:
  /// All at once, without room for more.
  void fill(int64_t count) {
    is_taken_.assign(static_cast<size_t>(count), true);
    has_room_ = false;
  }
  /// Whether `more` sources need other room: there is too little, or four times as much as is needed.
  bool must_rearrange(int64_t more) const;
  /// The first `kept` places are taken and there is room for `more` and some others. Returns the number of
  /// places.
  int64_t rearrange(int64_t kept, int64_t more);
  /// The first place that is free; there must be one.
  int32_t take();
  void free(int32_t place) { is_taken_.at(static_cast<size_t>(place)) = false; }

 private:
  std::vector<bool> is_taken_;
  bool has_room_ = false;  // whether there is room for more than those that came at once
};

}  // namespace heed
