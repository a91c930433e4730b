// prior: an added log-prior over (i, j):
//
//   alibi      −m_h |i − j|, slopes m_h = 2^(−8h/H) fixed by the head (Press 2021)
//   diagonal   −(j − ratio·i)² / 2 width²
//   relative   b[bucket(j − i), h], learned: half the buckets are exact, half grow logarithmically
//              up to `distance` (Raffel 2020, T5)
#include "heed/attention/focuses.h"
#include "heed/config/limits.h"
#include "heed/nn/alibi.h"
#include "heed/nn/relative_buckets.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/gather.h"
#include "heed/ops/permute.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

class Prior : public Focus {
 public:
  Prior() = default;
  Prior(PriorShape shape, bool bidirectional) : shape_(shape), bidirectional_(bidirectional) {}

  void describe(Describer& d) override {
    d.setting("shape", shape_,
              {{"alibi", PriorShape::alibi},
               {"diagonal", PriorShape::diagonal},
               {"relative", PriorShape::relative}},
              {"shape of the prior"});
    d.setting("ratio", ratio_,
              {.help = "diagonal: slots per step", .least = 0, .most = most_factor});
    d.setting("width", width_,
              {.help = "diagonal: standard deviation in slots", .least = 1e-3, .most = most_slots});
    d.setting("buckets", buckets_,
              {.help = "relative: number of buckets", .least = 4, .most = most_width});
    d.setting("distance", distance_,
              {.help = "relative: from this distance on all share the last bucket",
               .least = 2,
               .most = 16384});
    d.setting("bidirectional", bidirectional_, {"relative: distinguish slots before and after"});
    d.parameter("table", table_);
  }
  void build(const FocusWidths& widths, Init& init) override {
    heads_ = {widths.groups, widths.heads_per_group};
    if (shape_ == PriorShape::alibi) {
      slopes_ = Tensor::of(alibi_slopes(heads_[0] * heads_[1]), {heads_[0], heads_[1], 1, 1},
                           init.place().exact());
    }
    if (shape_ == PriorShape::relative) {
      table_ = init.normal({buckets_, widths.groups * widths.heads_per_group}, 0.1);
      bucket_of_offset_ = relative_bucket_table(how(), table_.place());
    }
  }
  std::string geometric_key() const override {
    return shape_ == PriorShape::alibi
               ? "alibi " + std::to_string(heads_[0]) + ' ' + std::to_string(heads_[1])
               : std::string();
  }
  void narrow(Where& where, const FocusInput& in) const override {
    if (shape_ == PriorShape::relative) {
      add_bias(where, relative(in.geometry, in.slots));
      return;
    }
    const Tensor i = unsqueeze(in.geometry.position(), 4);  // [M, 1, 1, R, 1]
    const Tensor j = slot_numbers(in.slots, in.query);
    if (shape_ == PriorShape::diagonal) {
      const Tensor off = j - affine(i, ratio_, 0);
      add_bias(where, affine(off * off, -0.5 / (width_ * width_), 0));
      return;
    }
    add_bias(where, -(slopes_ * absolute(j - i)));
  }

 private:
  RelativeBuckets how() const { return {bidirectional_, buckets_, distance_}; }
  /// b[bucket(j − i), h] as [M, G, P, R, S]. All blocks with the same buckets share the index.
  Tensor relative(const Geometry& geometry, int64_t slots) const {
    const Tensor i = unsqueeze(geometry.position(), 4);  // [M, 1, 1, R, 1]
    const Tensor& index = geometry.shared().bucket_index.at(
        {how(), slots}, [&] { return relative_bucket_index(bucket_of_offset_, i, slots); });
    const Tensor rows = gather_rows(table_, index);  // [M·R·S, H]
    const Tensor split = reshape(rows, {i.size(0), i.size(3), slots, heads_[0], heads_[1]});
    return permute(split, {0, 3, 4, 1, 2});
  }

  PriorShape shape_ = PriorShape::alibi;
  double ratio_ = 1;
  double width_ = 4;
  int64_t buckets_ = 32;
  int64_t distance_ = 128;
  bool bidirectional_ = true;
  Shape heads_;    // {G, P}
  Tensor slopes_;  // [G, P, 1, 1] of alibi
  Tensor table_;   // [buckets, H]
  Tensor bucket_of_offset_;
};

}  // namespace

std::unique_ptr<Focus> prior_shaped(PriorShape shape, bool bidirectional) {
  auto part = std::make_unique<Prior>(shape, bidirectional);
  part->set_kind("prior");
  return part;
}

std::unique_ptr<Focus> prior() { return std::make_unique<Prior>(); }

}  // namespace heed
