// patches: square patches of a picture as rows, as in the Vision Transformer (Dosovitskiy 2021 §3.1).
//
//   x_ij = W [p_is,js; …; p_is+s−1,js+s−1] + b + position,  s = size
//
// It is a convolution whose stride is its window. If a side is no multiple of s, zeros (grey) fill the
// last patches, half of them before the picture. In front of a Transformer encoder, either these
// positions count rows and columns and the encoder's are none, or these are none and the encoder's
// count patches in reading order; both did equally well in the paper (§D.4).
#include "heed/config/limits.h"
#include "heed/model/fronts.h"
#include "heed/model/grid/grid_positions.h"
#include "heed/model/grid/grids_of_pictures.h"
#include "heed/nn/convolution.h"

namespace heed {
namespace {

class PatchesFront : public Front {
 public:
  void describe(Describer& d) override {
    d.setting("size", size_,
              {.help = "pixels of a patch's side; model.embedding channels each",
               .least = 1,
               .most = 256});
    body_.positions.describe_settings(d);
  }
  RowKind reads() const override { return RowKind::pixels; }

  void build(const FrontWidths& widths, Init& init) override {
    require(widths.source.width() == pixel_channels,
            "front: patches reads pictures, and these rows are no pixels; choose another front");
    require(widths.shared == nullptr,
            "front: patches reads no words whose embeddings could be shared; turn share_embeddings "
            "off");
    place_ = init.place();
    body_.projection.build(pixel_channels, widths.width,
                           {.windows = GridWindows::square(size_, size_, Padding::same())}, init);
    body_.positions.build(widths.width, init);
  }
  Module& layers() override { return body_; }
  int64_t stride() const override { return size_; }

  FieldRows operator()(const FieldRows& source, Pass& pass) const override {
    FieldRows rows = grids_of_pictures(source, place_,
                                       [&](const Tensor& x) { return body_.projection(x, pass); });
    rows.values = body_.positions(rows.values, rows.layout);
    return rows;
  }

 private:
  static constexpr int64_t pixel_channels = 3;

  struct Body : Module {
    Convolution projection;
    GridPositions positions{"learned"};

    void describe(Describer& d) override {
      d.built("projection", projection);
      d.built("position", positions);
    }
  };

  int64_t size_ = 16;
  Body body_;
  Place place_;
};

}  // namespace

std::unique_ptr<Front> patches_front() { return std::make_unique<PatchesFront>(); }

}  // namespace heed
