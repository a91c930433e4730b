// attend against PyTorch: MultiheadAttention, scaled_dot_product_attention, the scores, Luong's
// local-p worked by hand; values and gradients.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/attend.h"
#include "heed/attention/focuses.h"
#include "heed/attention/scores.h"
#include "heed/config/apply.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/concat.h"
#include "heed/ops/permute.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "heed/tensor/tape.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/set_everywhere.h"
#include "tests/support/tolerance.h"

namespace heed::test::peers_test {
namespace {

class Peers : public ::testing::TestWithParam<Place> {};

/// Writes values into the parameter of that name.
void set_parameter(Module& module, const std::string& name, const Tensor& values) {
  for (const NamedParameter& parameter : parameters_of(module)) {
    if (parameter.name == name) {
      ASSERT_EQ(parameter.tensor->numel(), values.numel()) << name;
      parameter.tensor->backend().copy(parameter.tensor->view(),
                                       reshape(values, parameter.tensor->shape()).view());
      return;
    }
  }
  FAIL() << "no parameter " << name;
}

Tensor gradient_of(Module& module, const std::string& name) {
  for (const NamedParameter& parameter : parameters_of(module)) {
    if (parameter.name == name) {
      return parameter.tensor->gradient();
    }
  }
  return {};
}

Tensor watched(const Tensor& x) {
  Tensor copy = x.clone();
  copy.watch();
  return copy;
}

/// Full sequences [B, T, …] as rows, with the layout of their memories.
struct Case {
  Case(const FixtureCase& fixture, const Place& place_, const Tensor& query, const Tensor& keys)
      : place(place_), rows(query.size(1)), slots(keys.size(1)) {
    const auto count = static_cast<size_t>(query.size(0));
    lengths = fixture.has("lengths") ? fixture.tensor("lengths").values<int32_t>()
                                     : std::vector<int32_t>(count, static_cast<int32_t>(slots));
    // In self-attention the queries end where the memory ends.
    const std::vector<int32_t> full(count, static_cast<int32_t>(rows));
    queries = Layout::padded(fixture.has("x") ? lengths : full, rows, place);
    memory = Layout::padded(lengths, slots, place);
    geometry = Geometry({.queries = queries, .memory_lengths = lengths, .place = place});
  }
  /// [B, T, D] → [B·T, D]
  static Tensor rows_of(const Tensor& x) { return reshape(x, {x.size(0) * x.size(1), x.size(2)}); }
  /// x [B·T, …] with the rows beyond their sequence's length set to 0: what stands there is
  /// nobody's.
  Tensor used(const Tensor& x) const {
    std::vector<float> mask;
    for (const int32_t cell : queries.cell_of_row().values<int32_t>()) {
      mask.push_back(cell < 0 ? 0 : 1);
    }
    Shape shape{x.size(0)};
    for (int i = 1; i < x.rank(); ++i) {
      shape.push(1);
    }
    return x * Tensor::of(mask, shape, place);
  }
  Attended look(const Attention& attention, const Tensor& query, const Tensor& keys,
                const Tensor& values) const {
    Pass pass = Pass::serving();
    const Memory kept = attention.remember({rows_of(keys), rows_of(values), memory});
    return attend(attention, {rows_of(query), geometry, kept, {}, {.weights = true}}, pass);
  }
  /// Reported [B·T, H, S'] as [B, H, T, S], the slots beyond the longest memory empty.
  Tensor expected_weights(const Tensor& weights, int64_t reported) const {
    const Tensor cut = slice(weights, -1, 0, reported);  // [B, H, T, S']
    return reshape(permute(cut, {0, 2, 1, 3}), {cut.size(0) * cut.size(2), cut.size(1), reported});
  }

  Place place;
  int64_t rows;
  int64_t slots;
  std::vector<int32_t> lengths;
  Layout queries;
  Layout memory;
  Geometry geometry;
};

TEST_P(Peers, MultiheadAttention) {
  for (const FixtureCase& c : read_fixture("multihead_attention", GetParam())) {
    const bool is_self = c.has("x");
    const Tensor query = watched(c.tensor(is_self ? "x" : "query"));
    const Tensor keys = is_self ? query : watched(c.tensor("key"));
    const Tensor values = is_self ? query : watched(c.tensor("value"));
    const int64_t width = query.size(2);
    Attention attention;
    attention.choose_score("scaled_dot");
    attention.choose_heads(c.integer("heads"), 0, true);
    attention.choose_focus({c.flag("causal") ? "causal" : "everywhere"});
    Init init(GetParam(), 1);
    attention.build({width, keys.size(2), width, values.size(2)}, init);
    const char* names[] = {"query", "key", "value"};
    for (int i = 0; i < 3; ++i) {
      const std::string name = names[i];
      const Tensor weight = is_self ? slice(c.tensor("in_proj_weight"), 0, i * width, width)
                                    : c.tensor(name.substr(0, 1) + "_proj_weight");
      set_parameter(attention, name + ".weight", weight);
      const Tensor zero = Tensor::zeros({width}, GetParam());
      set_parameter(attention, name + ".bias",
                    c.flag("bias") ? slice(c.tensor("in_proj_bias"), 0, i * width, width) : zero);
    }
    set_parameter(attention, "output.weight", c.tensor("out_proj.weight"));
    set_parameter(attention, "output.bias",
                  c.flag("bias") ? c.tensor("out_proj.bias") : Tensor::zeros({width}, GetParam()));

    const Case at(c, GetParam(), query, keys);
    const Attended seen = at.look(attention, query, keys, values);
    const Tensor expected = Case::rows_of(c.tensor("out"));
    EXPECT_TRUE(close(at.used(seen.context), at.used(expected), 64)) << c.name;
    const int64_t reported = seen.weights.size(2);
    EXPECT_TRUE(close(seen.weights, at.expected_weights(c.tensor("weights"), reported), 64))
        << c.name;

    Tensor joint = Tensor::zeros({}, GetParam());
    const Tensor outputs[] = {seen.context, seen.weights};
    const std::vector<Tensor> seeds = {
        at.used(Case::rows_of(c.tensor("d_out"))),
        at.used(at.expected_weights(c.tensor("d_weights"), reported))};
    record(std::span(&joint, 1), outputs, [seeds](Gradients& g) {
      g.add(0, seeds[0]);
      g.add(1, seeds[1]);
    });
    joint.backward();
    EXPECT_TRUE(close(query.gradient(), c.tensor(is_self ? "d_x" : "d_query"), 256)) << c.name;
    if (!is_self) {
      EXPECT_TRUE(close(keys.gradient(), c.tensor("d_key"), 256)) << c.name;
      EXPECT_TRUE(close(values.gradient(), c.tensor("d_value"), 256)) << c.name;
    }
    EXPECT_TRUE(close(gradient_of(attention, "output.weight"), c.tensor("d_out_proj.weight"), 256))
        << c.name;
  }
}

/// A bias given as numbers: a focus of the test's own, as anybody may write one.
class GivenBias : public Focus {
 public:
  explicit GivenBias(Tensor bias) : bias_(std::move(bias)) {}
  void narrow(Where& where, const FocusInput& /*in*/) const override { add_bias(where, bias_); }

 private:
  Tensor bias_;  // [M or 1, G, P, R, S]
};

Tensor identity(int64_t n, const Place& place) {
  std::vector<float> values(static_cast<size_t>(n * n), 0);
  for (int64_t i = 0; i < n; ++i) {
    values[i * n + i] = 1;
  }
  return Tensor::of(values, {n, n}, place);
}

/// [B, H, T, d] → [B, T, H·d]
Tensor side_by_side(const Tensor& x) {
  return reshape(permute(x, {0, 2, 1, 3}), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

TEST_P(Peers, ScaledDotProductAttention) {
  for (const FixtureCase& c : read_fixture("sdpa", GetParam())) {
    if (c.name == "scale" || c.name == "value_width") {
      continue;  // a scale other than 1/√d and heads with values of another width are no settings
                 // of heed
    }
    const Tensor q = watched(c.tensor("q"));
    const Tensor k = watched(c.tensor("k"));
    const Tensor v = watched(c.tensor("v"));
    const int64_t heads = q.size(1);
    const int64_t groups = k.size(1);
    const int64_t d = q.size(3);
    Attention attention;
    attention.choose_score("scaled_dot");
    attention.choose_heads(heads, groups, true);
    attention.choose_focus({c.flag("causal") ? "causal" : "everywhere"});
    if (c.has("bias")) {
      const Tensor bias = c.tensor("bias");
      attention.add_focus(std::make_unique<GivenBias>(unsqueeze(bias, 2)));
    }
    Init init(GetParam(), 1);
    attention.build({heads * d, groups * d, heads * d}, init);
    set_parameter(attention, "query.weight", identity(heads * d, GetParam()));
    set_parameter(attention, "key.weight", identity(groups * d, GetParam()));
    set_parameter(attention, "value.weight", identity(groups * d, GetParam()));
    set_parameter(attention, "output.weight", identity(heads * d, GetParam()));
    const Tensor query = side_by_side(q);
    const Tensor keys = side_by_side(k);
    const Case at(c, GetParam(), query, keys);
    const Attended seen = at.look(attention, query, keys, side_by_side(v));
    EXPECT_TRUE(close(seen.context, Case::rows_of(side_by_side(c.tensor("out"))), 64)) << c.name;
    seen.context.backward(Case::rows_of(side_by_side(c.tensor("d_out"))));
    EXPECT_TRUE(close(q.gradient(), c.tensor("d_q"), 256)) << c.name;
    EXPECT_TRUE(close(k.gradient(), c.tensor("d_k"), 256)) << c.name;
    EXPECT_TRUE(close(v.gradient(), c.tensor("d_v"), 256)) << c.name;
  }
}

/// Heads of a width that the query's could not be split into: it has a channel more, which W^q leaves
/// out.
TEST_P(Peers, HeadsOfAnyWidth) {
  for (const FixtureCase& c : read_fixture("sdpa", GetParam())) {
    if (c.name != "plain" && c.name != "causal" && c.name != "grouped") {
      continue;
    }
    const Tensor q = watched(c.tensor("q"));
    const Tensor v = watched(c.tensor("v"));
    const int64_t width = q.size(1) * q.size(3);
    const int64_t groups = c.tensor("k").size(1) * q.size(3);
    Attention attention;
    attention.choose_score("scaled_dot");
    attention.choose_heads(q.size(1), c.tensor("k").size(1), true);
    attention.choose_head_width(q.size(3));
    attention.choose_focus({c.flag("causal") ? "causal" : "everywhere"});
    Init init(GetParam(), 1);
    attention.build({width + 1, groups, width}, init);
    const Tensor none = Tensor::zeros({width, 1}, GetParam());
    set_parameter(attention, "query.weight", concat({identity(width, GetParam()), none}, 1));
    set_parameter(attention, "key.weight", identity(groups, GetParam()));
    set_parameter(attention, "value.weight", identity(groups, GetParam()));
    set_parameter(attention, "output.weight", identity(width, GetParam()));
    const Tensor more = Tensor::full({q.size(0), q.size(2), 1}, 7, GetParam());
    const Tensor query = concat({side_by_side(q), more}, 2);
    const Tensor keys = side_by_side(c.tensor("k"));
    const Case at(c, GetParam(), query, keys);
    const Attended seen = at.look(attention, query, keys, side_by_side(v));
    EXPECT_TRUE(close(seen.context, Case::rows_of(side_by_side(c.tensor("out"))), 64)) << c.name;
    seen.context.backward(Case::rows_of(side_by_side(c.tensor("d_out"))));
    EXPECT_TRUE(close(q.gradient(), c.tensor("d_q"), 256)) << c.name;
    EXPECT_TRUE(close(v.gradient(), c.tensor("d_v"), 256)) << c.name;
  }
}

/// The weight of the additive score as heed keeps it, [in, out], from PyTorch's [out, in].
Tensor turned(const Tensor& weight) { return transpose(weight, 0, 1).dense(); }

/// Gives the attention the fixture's score and parameters.
void take_score(Attention& attention, const FixtureCase& c, const AttentionWidths& widths,
                const Place& place) {
  const bool is_additive = c.name.rfind("additive", 0) == 0;
  const bool is_cosine = c.name.rfind("cosine", 0) == 0;
  attention.choose_score(is_additive ? "additive" : is_cosine ? "cosine" : c.name);
  Json score = Json::object();
  if (is_additive) {
    score.set("width", c.tensor("v").numel()).set("bias", c.has("b"));
  }
  if (is_additive && c.has_setting("activation")) {
    score.set("activation", c.text("activation"));
  }
  if (is_cosine) {
    score.set("temperature", c.has("beta"));
  }
  apply(attention, Json::object().set("score", score));
  Init init(place, 1);
  attention.build(widths, init);
  if (is_additive) {
    const bool is_concat = c.has("W");
    const Tensor w_q = is_concat ? slice(c.tensor("W"), 1, 0, widths.query) : c.tensor("W_q");
    const Tensor w_k =
        is_concat ? slice(c.tensor("W"), 1, widths.query, widths.memory) : c.tensor("W_k");
    set_parameter(attention, "score.query", turned(w_q));
    set_parameter(attention, "score.key", turned(w_k));
    set_parameter(attention, "score.v", c.tensor("v"));
    if (c.has("b")) {
      set_parameter(attention, "score.b", c.tensor("b"));
    }
  } else if (c.has("W")) {
    set_parameter(attention, "score.weight", c.tensor("W"));
  } else if (c.has("beta")) {
    const double beta = c.tensor("beta").item();
    set_parameter(attention, "score.log_temperature", Tensor::full({1}, std::log(beta), place));
  }
}

TEST_P(Peers, Scores) {
  for (const FixtureCase& c : read_fixture("attention_scores", GetParam())) {
    const Tensor query = watched(c.tensor("query"));
    const Tensor keys = watched(c.tensor("keys"));
    const Tensor values = watched(c.tensor("values"));
    Attention attention;
    take_score(attention, c, {query.size(2), keys.size(2), 0, values.size(2)}, GetParam());
    const Case at(c, GetParam(), query, keys);
    const Attended seen = at.look(attention, query, keys, values);
    const int64_t reported = seen.weights.size(2);
    EXPECT_TRUE(close(seen.context, Case::rows_of(c.tensor("context")), 64)) << c.name;
    const Tensor weights = unsqueeze(c.tensor("weights"), 1);
    EXPECT_TRUE(close(seen.weights, at.expected_weights(weights, reported), 64)) << c.name;
    // The fixture's gradients are those of scores, weights and context together; heed hands out no
    // scores, so they are checked where only context and weights are fed (see
    // arrangement_checks.h for finite differences).
  }
}

TEST_P(Peers, LuongLocalP) {
  for (const FixtureCase& c : read_fixture("luong_local_p", GetParam())) {
    const Tensor query = c.tensor("query");
    const Tensor keys = c.tensor("keys");
    Attention attention;
    attention.choose_score("dot");
    attention.choose_focus({"local_p"});
    set_everywhere(attention, {{"D", 2}});
    Init init(GetParam(), 1);
    attention.build({query.size(2), keys.size(2), 0, c.tensor("values").size(2)}, init);
    set_parameter(attention, "focus.0.weight", turned(c.tensor("W_p")));
    set_parameter(attention, "focus.0.v", c.tensor("v_p"));
    const Case at(c, GetParam(), query, keys);
    const Attended seen = at.look(attention, query, keys, c.tensor("values"));
    EXPECT_TRUE(close(seen.context, Case::rows_of(c.tensor("context")), 64)) << c.name;
    const Tensor tempered = unsqueeze(c.tensor("tempered"), 1);
    EXPECT_TRUE(close(seen.weights, at.expected_weights(tempered, seen.weights.size(2)), 64))
        << c.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Places, Peers, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::peers_test
