// A convolutional network from a list of layers (model/grid/layer_list.h). A network's own file is a
// safetensors file, with the list as its metadata "layers" and tensors "NAME.weight" and "NAME.bias"
// in PyTorch's layout; batch norms are already folded in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/model/file/safetensors.h"
#include "heed/model/grid/layer_list.h"
#include "heed/nn/convolution.h"

namespace heed {

class Network : public Module {
 public:
  /// Makes the parameters of all layers. Frozen ones get no gradient.
  void build(const LayerList& list, bool is_frozen, Init& init);
  /// Each layer that has parameters under its own name.
  void describe(Describer& d) override;
  /// Fills all parameters; a Fault::file if one is missing or has another shape.
  void load(const SafetensorsFile& file, const std::string& who);

  const LayerList& list() const { return list_; }
  /// The SHA-256 of layers, weights and precision, on which its results depend.
  std::string hash() const;
  /// x [B, H, W, 3], pixels from −1 to 1 → the last layer's result [B, H', W', C]; H' = W' = 1 where it
  /// is a mean. Where nothing is recorded, some pictures are run at a time, so that what they need stays
  /// in the caches.
  Tensor operator()(const Tensor& x, const Pass& pass) const;

 private:
  Tensor run(const Tensor& x, const Pass& pass) const;
  bool is_recorded(const Tensor& x) const;

  LayerList list_;
  std::vector<std::unique_ptr<Convolution>> convolutions_;  // one for each layer, or null
};

/// The list that a network's file holds, without reading its tensors. Input and padding that the file
/// names must be those that heed computes.
LayerList read_layer_list(const std::string& path);
/// The whole file; shapes of the tensors are compared with the list of layers before any is copied.
SafetensorsFile read_network(const std::string& path, const LayerList& list);

}  // namespace heed
