// bag: annotations are the embedded words themselves, and C is their mean; the order of words has
// no effect.
#include "heed/config/limits.h"
#include "heed/model/encoders.h"
#include "heed/model/summary.h"
#include "heed/nn/linear.h"

namespace heed {
namespace {

class BagEncoder : public Encoder {
 public:
  void describe(Describer& d) override {
    d.setting("width", width_,
              {.help = "channels; 0: the embedding's", .least = 0, .most = most_width});
    if (projects_) {
      d.built("input", input_);
    }
  }
  void build(int64_t input, Init& init) override {
    built_width_ = width_ > 0 ? width_ : input;
    projects_ = built_width_ != input;
    if (projects_) {
      input_.build(input, built_width_, init);
    }
  }
  Encoded operator()(const Tensor& rows, const Layout& layout, Pass& /*pass*/) const override {
    const Tensor annotations = projects_ ? input_(rows) : rows;
    return {layout, {annotations}, mean_of_rows(annotations, layout)};
  }
  int64_t width() const override { return built_width_; }

 private:
  int64_t width_ = 0;
  int64_t built_width_ = 0;
  bool projects_ = false;
  Linear input_;
};

}  // namespace

std::unique_ptr<Encoder> bag_encoder() { return std::make_unique<BagEncoder>(); }

}  // namespace heed
