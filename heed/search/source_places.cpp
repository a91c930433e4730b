#include "heed/search/source_places.h"

#include <algorithm>
#include <bit>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr int64_t least_places = 8;

}  // namespace

bool SourcePlaces::must_rearrange(int64_t more) const {
  const auto places = static_cast<int64_t>(is_taken_.size());
  const int64_t needed = std::count(is_taken_.begin(), is_taken_.end(), true) + more;
  return !has_room_ || needed > places || (places > least_places && 4 * needed <= places);
}

int64_t SourcePlaces::rearrange(int64_t kept, int64_t more) {
  const auto needed = static_cast<uint64_t>(std::max(kept + more, least_places));
  is_taken_.assign(std::bit_ceil(needed), false);
  std::fill_n(is_taken_.begin(), kept, true);
  has_room_ = true;
  return static_cast<int64_t>(is_taken_.size());
}

int32_t SourcePlaces::take() {
  const auto free = std::find(is_taken_.begin(), is_taken_.end(), false);
  require(free != is_taken_.end(), "search: saw no place for a source, needs one");
  *free = true;
  return static_cast<int32_t>(free - is_taken_.begin());
}

}  // namespace heed
