// convolutional: the grid of a network that was trained before (Xu 2015 used VGG's; here a network's
// own file lists its layers, model/grid/layer_list.h).
//
//   a_ij = norm(network(x))_ij + position,  x = p / 127.5 − 1,  norm: layer norm of each cell
//
// For training the network is read from its file. A model's file holds the weights, and the list of
// layers among the settings, so that it needs no other file. A list of layers without a network begins
// with random weights.
#include <mutex>

#include "heed/model/fronts.h"
#include "heed/model/grid/cached_grids.h"
#include "heed/model/grid/grid_positions.h"
#include "heed/model/grid/grids_of_pictures.h"
#include "heed/model/grid/network.h"
#include "heed/nn/norms.h"

namespace heed {
namespace {

class ConvolutionalFront : public Front {
 public:
  void describe(Describer& d) override {
    d.setting("network", network_, {"the network's file (safetensors with a list of layers)"});
    d.setting("layer", layer_, {"the layer whose cells are the rows; empty: the last grid"});
    d.setting("frozen", is_frozen_, {"keep the network as it is; false: train it with the model"});
    d.setting(
        "cache", cache_megabytes_,
        {.help = "megabytes of a frozen network's results that are kept beside the run, so that "
                 "a picture is computed once; 0: none, as for pictures that are changed at "
                 "random, which never come again",
         .least = 0,
         .most = 1e7});
    d.setting("normalise", normalises_,
              {"layer norm of every cell; networks without bounds need it"});
    d.setting("layers", layers_,
              {"the list of layers as JSON; empty: that of the network, up to the layer"});
    body_.positions.describe_settings(d);
  }
  RowKind reads() const override { return RowKind::pixels; }
  void use_files(const FrontFiles& files) override {
    path_ = network_.empty() ? "" : files.located(network_);
    folder_ = files.folder;
    is_trial_ = files.is_trial;
  }
  int64_t width(const FrontWidths& /*widths*/) const override { return list().back().out; }

  void build(const FrontWidths& widths, Init& init) override {
    require(
        widths.source.width() == LayerList::picture_channels,
        "front: convolutional reads pictures, and these rows are no pixels; choose another front");
    require(widths.shared == nullptr,
            "front: convolutional reads no words whose embeddings could be shared; turn "
            "share_embeddings off");
    const LayerList wanted = list();
    place_ = init.place();
    body_.network.build(wanted, is_frozen_, init);
    if (!init.is_blank() && !network_.empty()) {
      body_.network.load(read_network(path(), wanted), path());
    }
    layers_ = wanted.write();
    if (normalises_) {
      body_.norm = layer_norm();
      body_.norm->build(wanted.back().out, init);
    }
    body_.positions.build(wanted.back().out, init);
  }
  Module& layers() override { return body_; }
  int64_t stride() const override { return body_.network.list().back().scale; }
  std::optional<KeptFeatures> kept() const override {
    const std::lock_guard one_at_a_time(guard_);
    if (!keeps()) {
      return std::nullopt;
    }
    return cache_ ? KeptFeatures{cache_->bytes(), cache_->size(), most_bytes()}
                  : KeptFeatures{0, 0, most_bytes()};
  }

  FieldRows operator()(const FieldRows& source, Pass& pass) const override {
    const auto run = [&](const Tensor& x) { return body_.network(x, pass); };
    FieldRows rows = keeps() ? kept_grids(source, run) : grids_of_pictures(source, place_, run);
    if (body_.norm) {
      rows.values = (*body_.norm)(rows.values);
    }
    rows.values = body_.positions(rows.values, rows.layout);
    return rows;
  }

 private:
  struct Body : Module {
    Network network;
    std::unique_ptr<Norm> norm;
    GridPositions positions{"none"};

    void describe(Describer& d) override {
      d.built("network", network);
      if (norm) {
        d.built("norm", *norm);
      }
      d.built("position", positions);
    }
  };

  const std::string& path() const { return path_.empty() ? network_ : path_; }

  /// The layers up to the wanted one, which must be a grid.
  LayerList list() const {
    if (!layers_.empty()) {
      return LayerList::parse(layers_, "front.layers");
    }
    if (network_.empty()) {
      fail(Fault::usage,
           "front: convolutional has no network; set model.front.network to the file of one");
    }
    const LayerList all = read_layer_list(path());
    LayerList wanted = all.up_to(layer_.empty() ? all.last_grid() : layer_);
    if (!wanted.back().is_grid()) {
      fail(Fault::usage, "front.layer: {} is a mean over the grid; choose a layer before it",
           layer_);
    }
    return wanted;
  }

  bool keeps() const {
    return is_frozen_ && cache_megabytes_ > 0 && (is_trial_ || !folder_.empty()) &&
           place_.dtype == DType::f32;
  }

  uint64_t most_bytes() const { return static_cast<uint64_t>(cache_megabytes_) << 20; }

  /// The cache is opened when it is first used, because the weights may be filled after `build`.
  FieldRows kept_grids(const FieldRows& source, const OverPictures& run) const {
    const std::lock_guard one_at_a_time(guard_);
    if (!cache_) {
      const std::string hash = body_.network.hash();
      cache_ =
          std::make_unique<FeatureCache>(is_trial_ ? FeatureCache::nameless(hash, most_bytes())
                                                   : FeatureCache(folder_, hash, most_bytes()));
    }
    return cached_grids(source, place_, run, *cache_);
  }

  std::string network_;
  std::string path_;  // where the network lies, if a setting's name needed to be resolved
  std::string layer_;
  bool is_frozen_ = true;
  bool normalises_ = true;
  int64_t cache_megabytes_ = 4096;
  std::string layers_;
  std::string folder_;
  bool is_trial_ = false;
  mutable std::mutex guard_;  // of the cache
  mutable std::unique_ptr<FeatureCache> cache_;
  Body body_;
  Place place_;
};

}  // namespace

std::unique_ptr<Front> convolutional_front() { return std::make_unique<ConvolutionalFront>(); }

}  // namespace heed
