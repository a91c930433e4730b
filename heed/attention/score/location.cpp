// location: e_i = W q_i, with one row of W for each slot and without keys, so the number of slots
// is limited (Luong 2015).
#include "heed/attention/head_product.h"
#include "heed/attention/scores.h"
#include "heed/config/limits.h"
#include "heed/ops/slice.h"

namespace heed {
namespace {

class LocationScore : public Score {
 public:
  void describe(Describer& d) override {
    d.setting("slots", slots_,
              {.help = "slots of the longest memory", .least = 1, .most = most_width});
    d.parameter("weight", weight_);
  }
  void build(const ScoreWidths& widths, Init& init) override {
    weight_ = init.glorot({widths.groups, widths.heads_per_group, widths.query, slots_});
  }
  Tensor operator()(const Tensor& query, const Tensor& prepared,
                    const Tensor& /*past*/) const override {
    const int64_t slots = prepared.size(2);
    require(slots <= slots_,
            "location: a source of {} slots is longer than the {} that this model has places for; "
            "raise `slots`",
            slots, slots_);
    // For all places, whatever the longest source of the batch: a narrow product is summed otherwise.
    return slice(head_product(query, weight_), -1, 0, slots);
  }
  bool reads_keys() const override { return false; }
  int64_t most_slots() const override { return slots_; }

 private:
  int64_t slots_ = 128;
  Tensor weight_;  // [G, P, d_q, slots]
};

}  // namespace

std::unique_ptr<Score> location() { return std::make_unique<LocationScore>(); }

}  // namespace heed
