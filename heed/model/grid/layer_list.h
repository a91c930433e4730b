// The layers of a convolutional network as data: a JSON list, as a network's file holds it.
//
//   [{"name": "stem", "op": "conv", "src": ["input"], "cin": 3, "cout": 32, "k": 3, "stride": 2,
//     "act": "relu"}, …]
//
//   conv     k × k cells, padded as TensorFlow's SAME, then act: none, relu or relu6
//   dwconv   the same, every channel by itself (cin = cout)
//   add      the sum of two or more layers of one shape
//   gap      the mean over the grid
//   linear   every channel of a mean to every output
//
// "input" is the picture, 3 channels. A layer reads only layers before it. Everything is checked when
// the list is read: names, numbers, and that shapes fit together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/device/kernel/packed.h"

namespace heed {

struct NetworkLayer {
  enum class Op : uint8_t { convolve, depthwise, add, mean, linear };
  static constexpr int input = -1;

  std::string name;
  Op op = Op::convolve;
  std::vector<int> sources;  // positions in the list, or `input`
  int64_t in = 0;            // channels
  int64_t out = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  AfterProduct after = AfterProduct::nothing;
  /// Pixels per cell along each axis: n pixels are ⌈n / scale⌉ cells. 0 for a mean, which has one.
  int64_t scale = 1;

  bool has_weight() const { return op != Op::add && op != Op::mean; }
  bool is_grid() const { return scale > 0; }
};

class LayerList {
 public:
  static constexpr int64_t picture_channels = 3;

  /// Reads a list; a Fault::file names what is wrong and where. `who` names the list.
  static LayerList parse(std::string_view json, const std::string& who);
  /// The same text for the same list.
  std::string write() const;

  /// The layers that this one is computed from, and itself as the last. An unknown name is a
  /// Fault::usage that suggests another.
  LayerList up_to(const std::string& name) const;
  /// The name of the last layer that is a grid; a Fault::file if there is none.
  const std::string& last_grid() const;

  const std::vector<NetworkLayer>& layers() const { return layers_; }
  const NetworkLayer& back() const { return layers_.back(); }
  /// The position after which a layer's result is not needed any more.
  std::vector<size_t> last_uses() const;

 private:
  std::string last_grids() const;

  std::string who_;
  std::vector<NetworkLayer> layers_;
};

}  // namespace heed
