// The decoders of Bahdanau 2014, Luong 2015 and Libovický and Helcl 2018 written out in PyTorch, and PyTorch's
// Transformer layers, against heed's: values and gradients with the same weights.
#include <gtest/gtest.h>

#include <array>

#include "heed/config/apply.h"
#include "heed/model/decoders.h"
#include "heed/model/transformer_block.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/concat.h"
#include "heed/ops/lengths.h"
#include "heed/ops/pad.h"
#include "heed/ops/permute.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::test::peers_test {
namespace {

class ModelPeers : public ::testing::TestWithParam<Place> {};

Tensor turned(const Tensor& weight) { return transpose(weight, 0, 1).dense(); }

/// The peer's tensor for each of our parameters, by our name: values with an empty prefix,
/// gradients with "d_".
using Peer = std::map<std::string, Tensor>;

void take_parameters(Module& module, const Peer& peer) {
  for (const NamedParameter& parameter : parameters_of(module)) {
    const auto found = peer.find(parameter.name);
    if (found != peer.end()) {
      copy_values(reshape(found->second, parameter.tensor->shape()), *parameter.tensor);
    } else {
      ASSERT_TRUE(parameter.name.starts_with("initial.")) << parameter.name;
    }
  }
}

void expect_gradients(Module& module, const Peer& peer, const Tolerance& within) {
  for (const auto& [name, expected] : peer) {
    const Tensor gradient = parameter_named(module, name).gradient();
    ASSERT_TRUE(gradient.defined()) << name;
    EXPECT_TRUE(close(gradient, reshape(expected, gradient.shape()), within)) << name;
  }
}

/// What both decoders' cells are called.
void add_cell(Peer& peer, const FixtureCase& c, const std::string& prefix) {
  const std::pair<const char*, const char*> names[] = {{"input.weight", "weight_ih"},
                                                       {"input.bias", "bias_ih"},
                                                       {"weight", "weight_hh"},
                                                       {"bias", "bias_hh"}};
  for (const auto& [ours, theirs] : names) {
    peer[std::string("layers.0.forward.") + ours] = c.tensor(prefix + theirs);
  }
  peer["words.table"] = c.tensor(prefix + "E");
  peer["output.weight"] = c.tensor(prefix + "W_o");
  peer["output.bias"] = c.tensor(prefix + "b_o");
}

/// The peer's deep output is 4 wide and its embedding 3; ours are as wide as each other. A fourth
/// channel of zeros, read by weights of zero, makes them the same function.
Peer bahdanau(const FixtureCase& c, const std::string& prefix) {
  Peer peer;
  add_cell(peer, c, prefix);
  const auto get = [&](const char* name) { return c.tensor(prefix + name); };
  const int64_t embedding = c.tensor("E").size(1);
  const auto widened = [](const Tensor& weight) { return pad(weight, 1, 0, 1); };
  peer["words.table"] = widened(get("E"));
  const Tensor& cell = get("weight_ih");  // over [E y; c]
  peer["layers.0.forward.input.weight"] = concat(
      {widened(slice(cell, 1, 0, embedding)), slice(cell, 1, embedding, cell.size(1) - embedding)},
      1);
  peer["deep.weight"] = concat({get("W_s"), get("W_c"), widened(get("W_y"))}, 1);
  peer["deep.bias"] = get("b_t");
  peer["attention.score.query"] = turned(get("W_q"));
  peer["attention.score.key"] = turned(get("W_k"));
  peer["attention.score.b"] = get("b_a");
  peer["attention.score.v"] = get("v_a");
  return peer;
}

Peer luong(const FixtureCase& c, const std::string& prefix) {
  Peer peer;
  add_cell(peer, c, prefix);
  peer["attention.score.weight"] = c.tensor(prefix + "W_a");
  peer["combine.weight"] = c.tensor(prefix + "W_c");
  return peer;
}

/// A decoder of the fixture's shape, and what its steps hand out.
struct Steps {
  Steps(const FixtureCase& c, const std::string& kind, const std::string& settings,
        const Place& place_)
      : place(place_), decoder(make_part(decoders(), kind)) {
    apply(*decoder, parse_json(settings, "test"));
    apply(*decoder, Json::object().set("cell", c.text("cell")).set("width", 3));
    memory = c.tensor("memory").clone();
    memory.watch();
    Init init(place, 1);
    decoder->build({memory.size(2), 1, c.tensor("E").size(0)}, init);
    lengths = c.tensor("lengths").values<int32_t>();
  }

  /// Steps through y_prev from the given state, its tensors watched.
  void go(const FixtureCase& c, std::vector<Tensor>& state_leaves) {
    const Layout layout = Layout::padded(lengths, memory.size(1), place);
    const Tensor rows = reshape(memory, {memory.size(0) * memory.size(1), memory.size(2)});
    const Tensor summary = Tensor::zeros({memory.size(0), memory.size(2)}, place);
    Pass pass = Pass::serving();
    const auto remembered =
        std::make_shared<const Remembered>(decoder->remember({layout, {rows}, summary}, pass));
    const std::vector<int32_t> every = {0, 1};
    const auto& steps = *as<Autoregressive>(*decoder);
    State state = steps.begin(remembered, every);
    for (size_t i = 0; i < state_leaves.size(); ++i) {
      state_leaves[i].watch();
      state.carried[i] = state_leaves[i];
    }
    const Tensor& y = c.tensor("y_prev");
    for (int64_t t = 0; t < y.size(1); ++t) {
      const Tensor ids = squeeze(slice(y, 1, t, 1), 1).dense();
      const Decoded out = steps.step(state, ids, {.weights = true}, pass);
      logits.push_back(out.logits);
      weights.push_back(squeeze(out.reports[0].weights, 1));
      contexts.push_back(out.reports[0].context);
      states.push_back(state.carried[0]);
    }
  }

  Place place;
  std::unique_ptr<Decoder> decoder;
  Tensor memory;
  std::vector<int32_t> lengths;
  std::vector<Tensor> logits, weights, contexts, states;  // of each step
};

/// Values of every step against the fixture, then the gradients of all of them together.
void expect_steps(Steps& run, const FixtureCase& c, const Peer& gradients,
                  std::vector<Tensor>& state_leaves) {
  const std::pair<const char*, const std::vector<Tensor>*> outputs[] = {{"logits", &run.logits},
                                                                        {"weights", &run.weights},
                                                                        {"context", &run.contexts},
                                                                        {"states", &run.states}};
  Tensor total = Tensor::zeros({1}, run.place);
  for (const auto& [name, steps] : outputs) {
    for (size_t t = 0; t < steps->size(); ++t) {
      const auto at = [&](const std::string& field) {
        return squeeze(slice(c.tensor(field), 1, static_cast<int64_t>(t), 1), 1);
      };
      EXPECT_TRUE(close((*steps)[t], at(name), 64)) << name << " of step " << t;
      total = total + sum((*steps)[t] * at(std::string("d_") + name));
    }
  }
  total.backward();
  const Tolerance within = scaled(tolerance(run.place.dtype, 256), 4);
  expect_gradients(*run.decoder, gradients, within);
  EXPECT_TRUE(close(run.memory.gradient(), c.tensor("d_memory"), within));
  const char* names[] = {c.has("s0") ? "d_s0" : "d_h0", "d_cell0"};
  for (size_t i = 0; i < state_leaves.size(); ++i) {
    EXPECT_TRUE(close(state_leaves[i].gradient(), c.tensor(names[i]), within)) << names[i];
  }
}

std::vector<Tensor> first_state(const FixtureCase& c) {
  std::vector<Tensor> leaves = {c.tensor(c.has("s0") ? "s0" : "h0").clone()};
  if (c.has("cell0")) {
    leaves.push_back(c.tensor("cell0").clone());
  }
  return leaves;
}

TEST_P(ModelPeers, BahdanausDecoder) {
  const RanOn guard(GetParam());
  int met = 0;
  for (const FixtureCase& c : read_fixture("bahdanau_decoder", GetParam())) {
    SCOPED_TRACE(c.name);
    Steps run(c, "attend_first",
              R"({"embedding": 4, "attention": {"score": {"kind": "additive", "width": 2}}})",
              GetParam());
    take_parameters(*run.decoder, bahdanau(c, ""));
    std::vector<Tensor> leaves = first_state(c);
    run.go(c, leaves);
    expect_steps(run, c, bahdanau(c, "d_"), leaves);
    ++met;
  }
  EXPECT_EQ(met, 2);
}

TEST_P(ModelPeers, LuongsDecoder) {
  const RanOn guard(GetParam());
  int met = 0;
  for (const FixtureCase& c : read_fixture("luong_decoder", GetParam())) {
    SCOPED_TRACE(c.name);
    Steps run(
        c, "attend_after",
        std::string(R"({"embedding": 3, "attention": {"score": "bilinear"}, "input_feeding": )") +
            (c.flag("input_feeding") ? "true}" : "false}"),
        GetParam());
    Peer peer = luong(c, "");
    peer["combine.bias"] = Tensor::zeros({3}, GetParam());  // the peer has none
    take_parameters(*run.decoder, peer);
    std::vector<Tensor> leaves = first_state(c);
    run.go(c, leaves);
    expect_steps(run, c, luong(c, "d_"), leaves);
    ++met;
  }
  EXPECT_EQ(met, 3);
}

/// The peer's projections of one attention lie one below the other, except where the memory has a width of
/// its own.
void add_attention(Peer& peer, const FixtureCase& c, const std::string& prefix,
                   const std::pair<std::string, std::string>& names) {
  const auto& [ours, theirs] = names;
  const int64_t width = c.tensor(theirs + ".in_proj_bias").size(0) / 3;
  const std::string parts[] = {"query", "key", "value"};
  for (int i = 0; i < 3; ++i) {
    for (const std::string kind : {"weight", "bias"}) {
      const std::string apart = theirs + "." + parts[i][0] + "_proj_" + kind;
      peer[ours + "." + parts[i] + "." + kind] =
          c.has(apart) ? c.tensor(prefix + apart)
                       : slice(c.tensor(prefix + theirs + ".in_proj_" + kind), 0, i * width, width);
    }
  }
  for (const std::string kind : {"weight", "bias"}) {
    peer[ours + ".output." + kind] = c.tensor(prefix + theirs + ".out_proj." + kind);
  }
}

Peer transformer_layer(const FixtureCase& c, const std::string& prefix) {
  Peer peer;
  const bool is_decoder = c.has("memory");
  add_attention(peer, c, prefix, {"self", "self_attn"});
  if (is_decoder) {
    add_attention(peer, c, prefix, {"cross", "multihead_attn"});
  }
  for (const std::string kind : {"weight", "bias"}) {
    peer["feed_forward.inner." + kind] = c.tensor(prefix + "linear1." + kind);
    peer["feed_forward.outer." + kind] = c.tensor(prefix + "linear2." + kind);
    peer["self_norm." + kind] = c.tensor(prefix + "norm1." + kind);
    if (is_decoder) {
      peer["cross_norm." + kind] = c.tensor(prefix + "norm2." + kind);
    }
    peer["feed_forward_norm." + kind] =
        c.tensor(prefix + (is_decoder ? "norm3." : "norm2.") + kind);
  }
  return peer;
}

void shape(TransformerDesign& design, const FixtureCase& c) {
  design.width = c.tensor("x").size(2);
  design.placement = c.text("norm") == "pre" ? Placement::pre : Placement::post;
  for (Attention* attention : {&design.self, &design.cross}) {
    attention->choose_heads(c.integer("heads"), 0, true);
  }
  apply(*design.norm, Json::object().set("epsilon", c.number("eps")));
  apply(design.feed_forward, Json::object()
                                 .set("width", c.tensor("linear1.weight").size(0))
                                 .set("activation", c.text("activation")));
}

/// A layer over padded sequences [B, T, D], as one looks at it from outside.
struct Layer {
  Layer(const FixtureCase& c, const Place& place_) : place(place_) {
    TransformerDesign design(c.has("memory"), c.has("memory"));
    shape(design, c);
    Init init(place, 1);
    block.build(design, design.width, init);
    x = c.tensor("x").clone();
    x.watch();
    if (c.has("memory")) {
      memory = c.tensor("memory").clone();
      memory.watch();
    }
  }
  static Tensor rows_of(const Tensor& grid) {
    return reshape(grid, {grid.size(0) * grid.size(1), grid.size(2)});
  }
  Layout layout_of(const FixtureCase& c, const std::string& lengths, const Tensor& grid) const {
    return Layout::padded(c.tensor(lengths).values<int32_t>(), grid.size(1), place);
  }
  Tensor operator()(const FixtureCase& c) const {
    const Layout rows = layout_of(c, "lengths", x);
    const Geometry within({.queries = rows, .memory_lengths = rows.lengths(), .place = place});
    Pass pass = Pass::serving();
    Attended unused;
    ResidualRows changed(rows_of(x));
    if (!memory.defined()) {
      block(changed, {.self_geometry = within, .layout = &rows}, unused, pass);
      return changed.rows();
    }
    const Layout slots = layout_of(c, "memory_lengths", memory);
    const Memory kept = block.cross().remember(rows_of(memory), slots);
    const Geometry across({.queries = rows, .memory_lengths = slots.lengths(), .place = place});
    block(changed,
          {.self_geometry = within,
           .layout = &rows,
           .cross_geometry = &across,
           .cross_memory = &kept},
          unused, pass);
    return changed.rows();
  }
  Place place;
  TransformerBlock block;
  Tensor x;
  Tensor memory;
};

TEST_P(ModelPeers, TransformerLayers) {
  const RanOn guard(GetParam());
  int met = 0;
  for (const FixtureCase& c : read_fixture("transformer_layer", GetParam())) {
    SCOPED_TRACE(c.name);
    Layer layer(c, GetParam());
    take_parameters(layer.block, transformer_layer(c, ""));
    const Tensor& lengths = c.tensor("lengths");
    const Tensor inside = unsqueeze(mask_of_lengths(lengths, layer.x.size(1), GetParam().dtype), 2);
    const Tensor y = reshape(layer(c), layer.x.shape()) * inside;
    EXPECT_TRUE(close(y, c.tensor("out"), 64));
    y.backward(c.tensor("d_out"));
    const Tolerance within = scaled(tolerance(GetParam().dtype, 256), 10);
    EXPECT_TRUE(close(layer.x.gradient(), c.tensor("d_x"), within));
    if (layer.memory.defined()) {
      EXPECT_TRUE(close(layer.memory.gradient(), c.tensor("d_memory"), within));
    }
    expect_gradients(layer.block, transformer_layer(c, "d_"), within);
    ++met;
  }
  EXPECT_EQ(met, 6);
}

/// `ctc` with one block over its frames.
Peer frame_decoder(const FixtureCase& c, const std::string& prefix) {
  Peer peer;
  for (const auto& [name, tensor] : transformer_layer(c, prefix)) {
    peer["blocks.block.0." + name] = tensor;
  }
  for (const std::string kind : {"weight", "bias"}) {
    peer["split." + kind] = c.tensor(prefix + "split." + kind);
    peer["output." + kind] = c.tensor(prefix + "output." + kind);
    if (c.text("norm") == "pre") {
      peer["blocks.final_norm." + kind] = c.tensor(prefix + "last_norm." + kind);
    }
  }
  return peer;
}

Json frame_settings(const FixtureCase& c) {
  const Json attention = Json::object().set("heads", c.integer("heads"));
  return Json::object()
      .set("upsample", c.integer("upsample"))
      .set(
          "blocks",
          Json::object()
              .set("depth", 1)
              .set("width", c.tensor("output.weight").size(1))
              .set("placement", c.text("norm"))
              .set("norm", Json::object().set("kind", "layer_norm").set("epsilon", c.number("eps")))
              .set("self", attention)
              .set("cross", attention)
              .set("feed_forward", Json::object()
                                       .set("width", c.tensor("linear1.weight").size(0))
                                       .set("activation", c.text("activation"))));
}

TEST_P(ModelPeers, FramesWithBlocks) {
  const RanOn guard(GetParam());
  constexpr std::array<Special, 1> blank_too = {Special::blank};
  int met = 0;
  for (const FixtureCase& c : read_fixture("frame_decoder", GetParam())) {
    SCOPED_TRACE(c.name);
    const auto decoder = make_part(decoders(), "ctc");
    apply(*decoder, frame_settings(c));
    decoder->set_vocabulary(SpecialTokens(blank_too));
    Tensor memory = c.tensor("memory").clone();
    memory.watch();
    Init init(GetParam(), 1);
    decoder->build({memory.size(2), 1, c.tensor("output.weight").size(0)}, init);
    take_parameters(*decoder, frame_decoder(c, ""));
    // Only the rows within the lengths, which are full and one less.
    const Layout layout = Layout::packed(c.tensor("lengths").values<int32_t>(), GetParam());
    const auto within = [](const Tensor& grid, int64_t rows) {
      return slice(reshape(grid, {grid.size(0) * grid.size(1), grid.size(2)}), 0, 0, rows);
    };
    Pass pass = Pass::serving();
    const Tensor summary = Tensor::zeros({memory.size(0), memory.size(2)}, GetParam());
    const Remembered remembered =
        decoder->remember({layout, {within(memory, layout.rows())}, summary}, pass);
    const Decoded said = as<Framewise>(*decoder)->at_frames(remembered, {}, pass);
    const int64_t frames = c.integer("upsample") * layout.rows();
    ASSERT_EQ(said.logits.size(0), frames);
    EXPECT_TRUE(close(said.logits, within(c.tensor("logits"), frames), 64));
    said.logits.backward(within(c.tensor("d_logits"), frames).dense());
    const Tolerance allowed = scaled(tolerance(GetParam().dtype, 256), 10);
    EXPECT_TRUE(close(memory.gradient(), c.tensor("d_memory"), allowed));
    expect_gradients(*decoder, frame_decoder(c, "d_"), allowed);
    ++met;
  }
  EXPECT_EQ(met, 2);
}

INSTANTIATE_TEST_SUITE_P(Places, ModelPeers, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::peers_test
