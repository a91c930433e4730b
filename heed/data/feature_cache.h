// The grids that a frozen network gave for pictures, or the frames of recordings, in a file beside a run,
// so that each is computed once. A grid is found by the SHA-256 of what it was made of: of the prepared
// picture (its height, width and pixels, so what preparing does to it is part of the key), or of a
// recording and the speed at which it plays. The file names the SHA-256 of what makes them, the network
// (layers, weights, precision) or the settings of the frames; one of another is begun anew.
//
// The file is read and written in place, and the system keeps in memory what fits. A grid's own hash is
// checked when a process first reads it; one whose hash is wrong, as a killed process may leave it,
// counts as not there. If the disk is full, nothing more is kept.
//
//   "heed features 1\n" and 64 digits, then for each grid: key [32], hash of the rest [32], height,
//   width, channels (i32 each), cells (f32)
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heed/base/descriptor.h"
#include "heed/base/sha256.h"
#include "heed/tensor/layout.h"

namespace heed {

struct CachedGrid {
  GridExtent extent;
  int32_t channels = 0;
  std::vector<float> cells;  // [height · width, channels]

  bool operator==(const CachedGrid&) const = default;
};

/// It belongs to one thread.
class FeatureCache {
 public:
  using Key = Sha256::Digest;

  /// Opens folder/features.cache, or begins it. It grows to at most `most_bytes`. Fault::disk if the
  /// file cannot be opened. `maker_hash` is that of the network or of the settings, 64 digits.
  FeatureCache(const std::string& folder, const std::string& maker_hash, uint64_t most_bytes);
  /// In a file without a name, for as long as it is used.
  static FeatureCache nameless(const std::string& maker_hash, uint64_t most_bytes);

  static Key key_of(GridExtent extent, const std::vector<uint8_t>& pixels);
  /// False if it is not there or damaged.
  bool find(const Key& key, CachedGrid& grid);
  void add(const Key& key, const CachedGrid& grid);
  size_t size() const { return places_.size(); }
  uint64_t bytes() const { return end_; }

 private:
  FeatureCache(std::string path, Descriptor file, const std::string& maker_hash,
               uint64_t most_bytes);
  void begin(const std::string& header);
  void read_index(uint64_t bytes);
  bool read_at(uint64_t at, void* to, size_t bytes) const;
  bool write_at(uint64_t at, const void* from, size_t bytes);

  std::string path_;
  Descriptor file_;
  uint64_t most_bytes_;
  uint64_t end_ = 0;  // of what is written
  bool is_full_ = false;
  struct GridPlace {
    uint64_t at = 0;
    bool is_checked = false;  // its hash was right when it was first read
  };
  std::map<Key, GridPlace> places_;
};

}  // namespace heed
