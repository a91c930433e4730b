#include "heed/model/grid/cached_grids.h"

#include <algorithm>

#include "heed/tensor/tape.h"

namespace heed {
namespace {

constexpr int64_t bytes_of_pixel = 3;

/// A picture in host memory.
struct HostPicture {
  GridExtent extent;
  std::vector<uint8_t> pixels;
};

std::vector<HostPicture> pictures_of(const FieldRows& source) {
  require(source.values.dtype() == DType::u8 && source.values.rank() == 2 &&
              source.values.size(1) == bytes_of_pixel &&
              source.layout.grids().size() == source.layout.lengths().size(),
          "feature cache: saw rows {} of {}, needs u8 pixels [N, 3] of pictures",
          source.values.shape(), name_of(source.values.dtype()));
  require(source.host != nullptr,
          "feature cache: saw pixels that did not come from the host, needs those that did");
  const std::span<const uint8_t> all = source.host->as<uint8_t>();
  std::vector<HostPicture> pictures;
  for (size_t b = 0; b < source.layout.grids().size(); ++b) {
    const auto first = all.begin() + source.layout.starts()[b] * bytes_of_pixel;
    pictures.push_back(
        {source.layout.grids()[b], {first, first + source.layout.lengths()[b] * bytes_of_pixel}});
  }
  return pictures;
}

/// The pictures of these numbers as a batch.
FieldRows batch_of(const std::vector<HostPicture>& pictures, const std::vector<size_t>& numbers,
                   const Place& place) {
  std::vector<uint8_t> pixels;
  std::vector<int32_t> lengths;
  std::vector<GridExtent> extents;
  for (const size_t number : numbers) {
    const HostPicture& one = pictures[number];
    pixels.insert(pixels.end(), one.pixels.begin(), one.pixels.end());
    lengths.push_back(one.extent.height * one.extent.width);
    extents.push_back(one.extent);
  }
  const auto rows = static_cast<int64_t>(pixels.size()) / bytes_of_pixel;
  const Tensor values = Tensor::empty({rows, bytes_of_pixel}, place.with(DType::u8));
  place.backend->upload(values.view(), pixels.data());
  return {values, Layout::packed(lengths, place).with_grids(std::move(extents))};
}

/// Computes the pictures of these numbers, and keeps their grids.
void compute(const std::vector<HostPicture>& pictures, const std::vector<size_t>& missing,
             const Place& place, const OverPictures& run, std::vector<CachedGrid>& grids) {
  const NoGrad no_grad;
  const FieldRows rows = grids_of_pictures(batch_of(pictures, missing, place), place, run);
  const std::vector<float> cells = rows.values.values<float>();
  const auto channels = static_cast<int32_t>(rows.values.size(1));
  for (size_t k = 0; k < missing.size(); ++k) {
    const auto first = cells.begin() + int64_t{rows.layout.starts()[k]} * channels;
    grids[missing[k]] = {rows.layout.grids()[k],
                         channels,
                         {first, first + int64_t{rows.layout.lengths()[k]} * channels}};
  }
}

}  // namespace

FieldRows cached_grids(const FieldRows& source, const Place& place, const OverPictures& run,
                       FeatureCache& cache) {
  require(place.dtype == DType::f32, "feature cache: saw cells of {}, needs f32",
          name_of(place.dtype));
  const std::vector<HostPicture> pictures = pictures_of(source);
  require(!pictures.empty(), "front: saw no picture, needs one");
  std::vector<CachedGrid> grids(pictures.size());
  std::map<FeatureCache::Key, size_t> first_of;  // the first picture with these pixels
  std::vector<FeatureCache::Key> keys;
  std::vector<size_t> missing;
  for (size_t b = 0; b < pictures.size(); ++b) {
    keys.push_back(FeatureCache::key_of(pictures[b].extent, pictures[b].pixels));
    if (first_of.emplace(keys[b], b).second && !cache.find(keys[b], grids[b])) {
      missing.push_back(b);
    }
  }
  if (!missing.empty()) {
    compute(pictures, missing, place, run, grids);
  }
  for (const size_t b : missing) {
    cache.add(keys[b], grids[b]);
  }
  std::vector<float> cells;
  cells.reserve(pictures.size() * grids.front().cells.size());
  std::vector<int32_t> lengths;
  std::vector<GridExtent> extents;
  for (size_t b = 0; b < pictures.size(); ++b) {
    const CachedGrid& grid = grids[first_of.at(keys[b])];
    cells.insert(cells.end(), grid.cells.begin(), grid.cells.end());
    lengths.push_back(grid.extent.height * grid.extent.width);
    extents.push_back(grid.extent);
  }
  const int64_t channels = grids.front().channels;
  const auto rows = static_cast<int64_t>(cells.size()) / channels;
  return {Tensor::of(cells, {rows, channels}, place),
          Layout::packed(lengths, place).with_grids(std::move(extents))};
}

}  // namespace heed
