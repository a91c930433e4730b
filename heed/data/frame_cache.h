// The frames of recordings in a file beside a run (feature_cache.h), so that each recording is decoded,
// resampled and transformed once at every speed. Frames are found by the recording's bytes, its speed and
// what it is normalised by; the file belongs to the settings that made them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "heed/data/feature_cache.h"
#include "heed/data/field.h"

namespace heed {

class FrameCache {
 public:
  /// What frames are made of beside the settings.
  struct Recording {
    ItemView item;
    double speed = 1;
    std::string normalised_by = {};
  };

  /// Opens the file when it is first used. `settings_hash` has 64 digits.
  FrameCache(std::string folder, std::string settings_hash, uint64_t most_bytes)
      : folder_(std::move(folder)), hash_(std::move(settings_hash)), most_bytes_(most_bytes) {}

  /// Rows of `width` numbers: those kept of this recording, or what `make` gives, which is kept. Safe to
  /// call from several threads.
  std::vector<float> rows(const Recording& recording, int64_t width,
                          const std::function<std::vector<float>()>& make);

 private:
  static FeatureCache::Key key_of(const Recording& recording);
  FeatureCache& file();

  std::string folder_;
  std::string hash_;
  uint64_t most_bytes_;
  std::mutex guard_;
  std::unique_ptr<FeatureCache> file_;
};

}  // namespace heed
