#include <cmath>

#include "heed/nn/convolution.h"
#include "heed/ops/concat.h"
#include "heed/ops/permute.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "tests/nn/places.h"
#include "tests/support/gradients_reach.h"

namespace heed::test::convolution_over_rows_test {
namespace {

class OverRows : public OnEveryPlace {
 protected:
  Layout packed(const std::vector<int32_t>& lengths) const {
    return Layout::packed(lengths, place());
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, OverRows, ::testing::ValuesIn(places()), name_of_place);

Convolution::Rows over_rows(const Convolution& layer, const Tensor& x, const Layout& layout) {
  return layer.over_rows(x, layout, Pass::serving());
}

Tensor rows_of(const Tensor& x, int64_t begin, int64_t count) { return slice(x, 0, begin, count); }

TEST_P(OverRows, EqualsThePeerWherePaddingKeepsTheLength) {
  const RanOn guard(place());
  int met = 0;
  for (const FixtureCase& c : read_fixture("conv1d", place())) {
    const Tensor& w = c.tensor("weight");  // [out, in, kernel]
    const int64_t reach = (w.size(2) - 1) * c.integer("dilation");
    const bool is_causal = reach > 0 && c.integer("padding_left") == reach;
    const bool is_centred = c.integer("padding_left") == reach / 2;
    if (c.integer("padding_left") + c.integer("padding_right") != reach ||
        !(is_causal || is_centred)) {
      continue;
    }
    SCOPED_TRACE(c.name);
    Convolution layer;
    Init init(place(), 1);
    layer.build_over_rows(w.size(1), w.size(0),
                          {.kernel = w.size(2),
                           .stride = c.integer("stride"),
                           .dilation = c.integer("dilation"),
                           .is_causal = is_causal,
                           .has_bias = c.has("bias")},
                          init);
    copy_values(permute(w, {0, 2, 1}), parameter_named(layer, "weight"));
    if (c.has("bias")) {
      copy_values(c.tensor("bias"), parameter_named(layer, "bias"));
    }
    const Tensor& x = c.tensor("x");  // [B, in, T]
    const auto length = static_cast<int32_t>(x.size(2));
    const Tensor rows = reshape(permute(x, {0, 2, 1}), {x.size(0) * x.size(2), x.size(1)});
    const auto out = over_rows(layer, rows, packed({length, length}));
    const Tensor& y = c.tensor("y");  // [B, out, T']
    EXPECT_TRUE(close(out.rows, reshape(permute(y, {0, 2, 1}), {-1, y.size(1)}), 16));
    EXPECT_EQ(out.layout.lengths(), std::vector<int32_t>(2, static_cast<int32_t>(y.size(2))));
    ++met;
  }
  EXPECT_GE(met, 5);
}

TEST_P(OverRows, ASequenceAloneEqualsItselfInABatchAndPaddingNeverLeaks) {
  for (const bool is_causal : {false, true}) {
    for (const int64_t kernel : {1, 2, 3, 5}) {
      for (const int64_t stride : {1, 2, 3}) {
        SCOPED_TRACE(fmt::format("kernel {} stride {} causal {}", kernel, stride, is_causal));
        Convolution layer;
        Init init(place(), 1);
        layer.build_over_rows(3, 2, {.kernel = kernel, .stride = stride, .is_causal = is_causal},
                              init);
        copy_values(normal({2}, 4), parameter_named(layer, "bias"));
        const Tensor x = normal({8, 3});
        const auto batch = over_rows(layer, x, packed({2, 5, 1}));
        const auto alone = over_rows(layer, rows_of(x, 2, 5), packed({5}));
        const int64_t begin = (2 + stride - 1) / stride;
        EXPECT_TRUE(close(rows_of(batch.rows, begin, alone.rows.size(0)), alone.rows, 16));
        const Tensor nothing = Tensor::full({4, 3}, NAN, place());
        const Tensor padded =
            concat({rows_of(x, 0, 2), nothing, rows_of(x, 2, 5), rows_of(nothing, 0, 1)}, 0);
        const std::vector<int32_t> lengths = {2, 5};
        const auto spread = over_rows(layer, padded, Layout::padded(lengths, 6, place()));
        const int64_t at = stride == 1 ? 6 : begin;  // with a stride the result is packed
        EXPECT_TRUE(close(rows_of(spread.rows, at, alone.rows.size(0)), alone.rows, 16));
      }
    }
  }
}

TEST_P(OverRows, ARowSeesTheRowsItShould) {
  const struct {
    Convolution::RowForm form;
    std::vector<int> seen;  // by row 4 of seven
  } cases[] = {
      {{.kernel = 3}, {3, 4, 5}},
      {{.kernel = 2}, {4, 5}},
      {{.kernel = 4}, {3, 4, 5, 6}},
      {{.kernel = 3, .dilation = 2}, {2, 4, 6}},
      {{.kernel = 2, .is_causal = true}, {3, 4}},
      {{.kernel = 3, .dilation = 2, .is_causal = true}, {0, 2, 4}},
  };
  for (const auto& [form, seen] : cases) {
    SCOPED_TRACE(
        fmt::format("kernel {} dilation {} causal {}", form.kernel, form.dilation, form.is_causal));
    Convolution layer;
    Init init(place(), 1);
    layer.build_over_rows(3, 2, form, init);
    Tensor x = normal({7, 3}).clone().watch();
    sum(rows_of(over_rows(layer, x, packed({7})).rows, 4, 1)).backward();
    const std::vector<double> g = x.gradient().values();
    std::vector<int> reached;
    for (int t = 0; t < 7; ++t) {
      if (g[t * 3] != 0) {
        reached.push_back(t);
      }
    }
    EXPECT_EQ(reached, seen);
  }
}

TEST_P(OverRows, GradientsReachBothAndEmptyBatchesPass) {
  Convolution layer;
  Init init(place(), 1);
  layer.build_over_rows(3, 2, {}, init);
  EXPECT_TRUE(gradients_reach(layer, [&] {
    return over_rows(layer, normal({5, 3}), packed({2, 3})).rows;
  }));
  EXPECT_EQ(over_rows(layer, Tensor::empty({0, 3}, place()), packed({0, 0})).rows.shape(),
            (Shape{0, 2}));
  EXPECT_THROW(layer.build_over_rows(3, 2, {.kernel = 0}, init), Error);
}

}  // namespace
}  // namespace heed::test::convolution_over_rows_test
