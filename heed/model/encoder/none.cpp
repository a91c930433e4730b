// none: nothing is read, so there is no memory. The model is a language model, whose decoder
// predicts each word from the words before it.
#include "heed/model/encoders.h"

namespace heed {
namespace {

class NoEncoder : public Encoder {
 public:
  void describe(Describer& /*d*/) override {}
  void build(int64_t /*input*/, Init& /*init*/) override {}
  Encoded operator()(const Tensor& /*rows*/, const Layout& layout, Pass& /*pass*/) const override {
    const std::vector<int32_t> nothing(static_cast<size_t>(layout.count()), 0);
    return {layout.rows() == 0 ? layout : Layout::packed(nothing, layout.length_tensor().place()),
            {},
            {}};
  }
  bool reads_source() const override { return false; }
  int64_t width() const override { return 0; }
  int64_t blocks() const override { return 0; }
};

}  // namespace

std::unique_ptr<Encoder> no_encoder() { return std::make_unique<NoEncoder>(); }

}  // namespace heed
