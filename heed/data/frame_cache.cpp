#include "heed/data/frame_cache.h"

#include <limits>

namespace heed {

FeatureCache::Key FrameCache::key_of(const Recording& recording) {
  return Sha256()
      .update(&recording.speed, sizeof(recording.speed))
      .update(recording.normalised_by)
      .update("\n")
      .update(recording.item.data(), recording.item.size())
      .finish();
}

FeatureCache& FrameCache::file() {
  if (!file_) {
    file_ = std::make_unique<FeatureCache>(folder_, hash_, most_bytes_);
  }
  return *file_;
}

std::vector<float> FrameCache::rows(const Recording& recording, int64_t width,
                                    const std::function<std::vector<float>()>& make) {
  const FeatureCache::Key key = key_of(recording);
  CachedGrid grid;
  {
    const std::lock_guard lock(guard_);
    if (file().find(key, grid) && grid.channels == width) {
      return std::move(grid.cells);
    }
  }
  std::vector<float> made = make();
  const auto count = static_cast<int64_t>(made.size()) / width;
  if (count > 0 && count <= std::numeric_limits<int32_t>::max()) {
    const std::lock_guard lock(guard_);
    file().add(key, {{static_cast<int32_t>(count), 1}, static_cast<int32_t>(width), made});
  }
  return made;
}

}  // namespace heed
