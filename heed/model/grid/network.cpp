#include "heed/model/grid/network.h"

#include <algorithm>
#include <map>

#include "heed/base/error.h"
#include "heed/base/sha256.h"
#include "heed/model/file/file_tensor.h"
#include "heed/nn/shares_products.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/concat.h"
#include "heed/ops/packed.h"
#include "heed/ops/pool.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

using Op = NetworkLayer::Op;

/// The number of pixels that are run at a time, or one picture if that has more: five pictures of
/// 224 × 224.
constexpr int64_t pixels_at_a_time = int64_t{1} << 18;

Convolution::Form form_of(const NetworkLayer& layer) {
  return {.windows = GridWindows::square(layer.kernel, layer.stride, Padding::same()),
          .groups = layer.op == Op::depthwise ? layer.in : 1,
          .after = layer.after};
}

/// The shape of a layer's weight in a network's file.
std::vector<int64_t> weight_shape(const NetworkLayer& layer) {
  if (layer.op == Op::linear) {
    return {layer.out, layer.in};
  }
  return {layer.out, layer.op == Op::depthwise ? 1 : layer.in, layer.kernel, layer.kernel};
}

const FileTensor& checked_tensor(const SafetensorsFile& file, const std::string& name,
                                 const std::vector<int64_t>& shape, const std::string& who) {
  const FileTensor* tensor = file.find(name);
  if (tensor == nullptr) {
    fail(Fault::file,
         "{}: the tensor {}, which its list of layers needs, is missing; the file is incomplete",
         who, name);
  }
  if (tensor->shape != shape) {
    const auto text = [](const std::vector<int64_t>& lengths) {
      Shape out;
      for (const int64_t length : lengths) {
        out.push(length);
      }
      return to_string(out);
    };
    fail(Fault::file, "{}: {} has the shape {}, not {} as its list of layers says", who, name,
         text(tensor->shape), text(shape));
  }
  return *tensor;
}

void check_tensors(const SafetensorsFile& file, const LayerList& list, const std::string& who) {
  for (const NetworkLayer& layer : list.layers()) {
    if (layer.has_weight()) {
      checked_tensor(file, layer.name + ".weight", weight_shape(layer), who);
      checked_tensor(file, layer.name + ".bias", {layer.out}, who);
    }
  }
}

/// What a file says about itself must be what is computed here.
void check_metadata(const std::map<std::string, std::string>& metadata, const std::string& key,
                    const std::string& needed, const std::string& who) {
  const auto found = metadata.find(key);
  if (found != metadata.end() && found->second != needed) {
    fail(Fault::file, "{}: its {} is \"{}\", not \"{}\"; give a network that was trained so", who,
         key, found->second, needed);
  }
}

}  // namespace

void Network::build(const LayerList& list, bool is_frozen, Init& init) {
  list_ = list;
  for (const NetworkLayer& layer : list.layers()) {
    convolutions_.push_back(layer.has_weight() ? std::make_unique<Convolution>() : nullptr);
    if (layer.has_weight()) {
      convolutions_.back()->build(layer.in, layer.out, form_of(layer), init);
      if (is_frozen) {
        convolutions_.back()->freeze();
      }
    }
  }
}

void Network::describe(Describer& d) {
  for (size_t i = 0; i < convolutions_.size(); ++i) {
    if (convolutions_[i]) {
      d.built(list_.layers()[i].name, *convolutions_[i]);
    }
  }
}

void Network::load(const SafetensorsFile& file, const std::string& who) {
  check_tensors(file, list_, who);
  for (size_t i = 0; i < convolutions_.size(); ++i) {
    if (!convolutions_[i]) {
      continue;
    }
    const NetworkLayer& layer = list_.layers()[i];
    const Place place = parameters_of(*convolutions_[i]).front().tensor->place();
    const auto filled = [&](const std::string& name, const std::vector<int64_t>& lengths) {
      Shape shape;
      for (const int64_t length : lengths) {
        shape.push(length);
      }
      Tensor to = Tensor::empty(shape, place);
      fill_from(to, checked_tensor(file, name, lengths, who), who);
      return to;
    };
    const Tensor weight = filled(layer.name + ".weight", weight_shape(layer));
    convolutions_[i]->set_weight(reshape(weight, {layer.out, -1, layer.kernel, layer.kernel}));
    convolutions_[i]->set_bias(filled(layer.name + ".bias", {layer.out}));
  }
}

std::string Network::hash() const {
  Sha256 all;
  all.update(list_.write());
  for (const auto& convolution : convolutions_) {
    if (!convolution) {
      continue;
    }
    for (const NamedParameter& parameter : parameters_of(*convolution)) {
      const std::vector<float> values = parameter.tensor->values<float>();
      all.update(values.data(), values.size() * sizeof(float));
    }
    for (const Weight& weight : distinct_weights_of(*convolution)) {
      all.update(precision_names()[static_cast<size_t>(weight.precision())]);
    }
  }
  return all.finish_hex();
}

Tensor Network::operator()(const Tensor& x, const Pass& pass) const {
  require(x.rank() == 4 && x.size(3) == LayerList::picture_channels,
          "network: saw x {}, needs pictures [B, H, W, 3]", x.shape());
  const int64_t pixels = std::max<int64_t>(1, x.size(1) * x.size(2));
  const int64_t some = std::max<int64_t>(1, pixels_at_a_time / pixels);
  if (x.size(0) <= some || is_recorded(x)) {
    return run(x, pass);
  }
  Pass sharing = pass;  // so that weights are packed once for all parts
  const SharesProducts shared(sharing);
  std::vector<Tensor> parts;
  for (int64_t first = 0; first < x.size(0); first += some) {
    parts.push_back(run(slice(x, 0, first, std::min(some, x.size(0) - first)), sharing));
  }
  return concat(parts, 0);
}

bool Network::is_recorded(const Tensor& x) const {
  bool is_watched = x.needs_gradient();
  for (const auto& convolution : convolutions_) {
    is_watched = is_watched || (convolution && convolution->is_watched());
  }
  return is_watched && gradients_enabled();
}

Tensor Network::run(const Tensor& x, const Pass& pass) const {
  const std::vector<NetworkLayer>& layers = list_.layers();
  const std::vector<size_t> last_uses = list_.last_uses();
  std::vector<Tensor> results(layers.size());
  const auto result = [&](int source) {
    return source == NetworkLayer::input ? x : results[static_cast<size_t>(source)];
  };
  for (size_t i = 0; i < layers.size(); ++i) {
    Tensor y = result(layers[i].sources.front());
    if (layers[i].has_weight()) {
      y = (*convolutions_[i])(y, pass);
    } else if (layers[i].op == Op::mean) {
      y = reshape(mean_of_grid(y), {y.size(0), 1, 1, y.size(3)});
    }
    for (size_t k = 1; k < layers[i].sources.size(); ++k) {
      y = y + result(layers[i].sources[k]);
    }
    results[i] = y;
    for (const int source : layers[i].sources) {  // what nothing needs any more is freed
      if (source != NetworkLayer::input && last_uses[static_cast<size_t>(source)] == i) {
        results[static_cast<size_t>(source)] = {};
      }
    }
  }
  return results.back();
}

LayerList read_layer_list(const std::string& path) {
  const std::map<std::string, std::string> metadata = read_safetensors_metadata(path);
  const auto found = metadata.find("layers");
  if (found == metadata.end()) {
    fail(Fault::file,
         "{}: its metadata has no \"layers\", the network's list of layers; give a network's file",
         path);
  }
  check_metadata(metadata, "padding", "TF SAME", path);
  check_metadata(metadata, "input", "RGB, NCHW, x = pixel/127.5 - 1", path);
  return LayerList::parse(found->second, path + ": layers");
}

SafetensorsFile read_network(const std::string& path, const LayerList& list) {
  SafetensorsFile file = read_safetensors(path, FileHash::if_there);
  check_tensors(file, list, path);
  return file;
}

}  // namespace heed
