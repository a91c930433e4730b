// The parts of this layer together: a Transformer's encoder block of the peer, its attention
// written out in plain ops.
#include <cmath>

#include "heed/config/apply.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/norms.h"
#include "heed/ops/lengths.h"
#include "heed/ops/matmul.h"
#include "heed/ops/permute.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/ops/slice.h"
#include "heed/ops/softmax.h"
#include "tests/nn/places.h"
#include "tests/support/gradients_reach.h"

namespace heed::test::transformer_layer_test {
namespace {

class TransformerLayerTest : public OnEveryPlace {};
INSTANTIATE_TEST_SUITE_P(Everywhere, TransformerLayerTest, ::testing::ValuesIn(places()),
                         name_of_place);

struct Block : Module {
  Linear in, out;
  FeedForward feed_forward;
  std::unique_ptr<Norm> first = make_part(norms(), "layer_norm");
  std::unique_ptr<Norm> second = make_part(norms(), "layer_norm");
  int64_t heads = 0;
  bool pre = false;

  explicit Block(const FixtureCase& c) {
    const Tensor& x = c.tensor("x");
    Init init(x.place(), 1);
    const int64_t width = x.size(-1);
    heads = c.integer("heads");
    pre = c.text("norm") == "pre";
    apply(feed_forward, Json::object()
                            .set("width", c.tensor("linear1.weight").size(0))
                            .set("activation", c.text("activation")));
    apply(*first, Json::object().set("epsilon", c.number("eps")));
    apply(*second, Json::object().set("epsilon", c.number("eps")));
    in.build(width, 3 * width, init);
    out.build(width, width, init);
    feed_forward.build(width, init);
    first->build(width, init);
    second->build(width, init);
    for (const NamedParameter& parameter : parameters_of(*this)) {
      copy_values(c.tensor(peer_name(parameter.name)), *parameter.tensor);
    }
  }
  void describe(Describer& d) override {
    d.child("self_attn.in_proj", in);
    d.child("self_attn.out_proj", out);
    d.child("linear", feed_forward);
    d.child("norm1", *first);
    d.child("norm2", *second);
  }
  static std::string peer_name(std::string ours) {
    const std::pair<const char*, const char*> names[] = {
        {"in_proj.", "in_proj_"}, {"linear.inner", "linear1"}, {"linear.outer", "linear2"}};
    for (const auto& [from, to] : names) {
      if (const size_t place = ours.find(from); place != std::string::npos) {
        ours.replace(place, std::string(from).size(), to);
      }
    }
    return ours;
  }

  Tensor attend(const Tensor& x, const Tensor& lengths) const {
    const int64_t b = x.size(0);
    const int64_t t = x.size(1);
    const int64_t d = x.size(2) / heads;
    const Tensor qkv = permute(reshape(in(x), {b, t, 3, heads, d}), {2, 0, 3, 1, 4});
    const auto part = [&](int64_t which) { return squeeze(slice(qkv, 0, which, 1), 0); };
    const Tensor e = matmul(part(0), part(1),
                            {.transpose_b = true, .scale = 1 / std::sqrt(static_cast<double>(d))});
    const Tensor open = reshape(mask_of_lengths(lengths, t, x.dtype()), {b, 1, 1, t});
    const Tensor shut = Tensor::full({1}, -INFINITY, x.place());
    const Tensor context = matmul(softmax(select(open, e, shut)), part(2));
    return out(reshape(permute(context, {0, 2, 1, 3}), {b, t, x.size(2)}));
  }
  Tensor operator()(const Tensor& x, const Tensor& lengths, Pass& pass) const {
    if (pre) {
      const Tensor h = x + attend((*first)(x), lengths);
      return h + feed_forward((*second)(h), pass);
    }
    const Tensor h = (*first)(x + attend(x, lengths));
    return (*second)(h + feed_forward(h, pass));
  }
};

TEST_P(TransformerLayerTest, EqualsThePeersEncoderLayerForwardAndBackward) {
  const RanOn guard(place());
  int met = 0;
  for (const FixtureCase& c : read_fixture("transformer_layer", place())) {
    if (c.has("memory")) {
      continue;
    }
    SCOPED_TRACE(c.name);
    Block block(c);
    Pass pass = Pass::serving();
    Tensor x = c.tensor("x").clone().watch();
    const Tensor& lengths = c.tensor("lengths");
    const Tensor inside = unsqueeze(mask_of_lengths(lengths, x.size(1), x.dtype()), 2);
    const Tensor y = block(x, lengths, pass) * inside;
    EXPECT_TRUE(close(y, c.tensor("out"), 64));
    y.backward(c.tensor("d_out"));
    const Tolerance within = scaled(tolerance(place().dtype, 256), 10);
    EXPECT_TRUE(close(x.gradient(), c.tensor("d_x"), within));
    for (const NamedParameter& parameter : parameters_of(block)) {
      EXPECT_TRUE(close(parameter.tensor->gradient(),
                        c.tensor("d_" + Block::peer_name(parameter.name)), within))
          << parameter.name;
    }
    ++met;
  }
  EXPECT_EQ(met, 4);
}

}  // namespace
}  // namespace heed::test::transformer_layer_test
