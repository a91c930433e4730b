// A whole Transformer and Bahdanau's model with the weights of the same models in PyTorch: the
// probabilities of given targets, and what a beam of four finds (tools/fixtures/models.py).
#include <gtest/gtest.h>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/ops/reshape.h"
#include "heed/ops/softmax.h"
#include "heed/search/search.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::test::peers_test {
namespace {

using Sentences = std::vector<std::vector<int32_t>>;

class WholePeers : public ::testing::TestWithParam<Place> {};

/// Rows of ids [B, T], each up to its first −1.
Sentences sentences_of(const Tensor& padded) {
  const auto ids = padded.values<int32_t>();
  const auto width = static_cast<size_t>(padded.size(-1));
  Sentences all;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i % width == 0) {
      all.emplace_back();
    }
    if (ids[i] >= 0) {
      all.back().push_back(ids[i]);
    }
  }
  return all;
}

std::unique_ptr<Model> peer_model(const FixtureCase& c, const Place& place) {
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(c.json("model"), "test"));
  Init init(place, 1);
  model->build(RowForm::ids(c.integer("v_source")), RowForm::ids(c.integer("v_target")), init);
  size_t taken = 0;
  for (const NamedParameter& parameter : parameters_of(*model)) {
    const Tensor& value = c.tensor("parameter " + parameter.name);
    copy_values(reshape(value, parameter.tensor->shape()), *parameter.tensor);
    ++taken;
  }
  size_t given = 0;
  for (const auto& [name, tensor] : c.tensors()) {
    given += name.starts_with("parameter ") ? 1 : 0;
  }
  EXPECT_EQ(taken, given);
  return model;
}

void expect_taught(const Model& model, const FixtureCase& c, const Place& place) {
  const Batch batch =
      batch_of_ids(sentences_of(c.tensor("sources")), sentences_of(c.tensor("targets")), place);
  Pass pass = Pass::serving();
  const Tensor log_p = log_softmax(model.teach(batch, {}, pass).logits);
  EXPECT_TRUE(close(log_p, c.tensor("log_p"), Tolerance{0, 1e-5}));
}

/// Every one of the four, word for word.
void expect_found(const std::vector<std::vector<Hypothesis>>& found, const FixtureCase& c) {
  const Sentences words = sentences_of(c.tensor("found"));
  const auto ended = c.tensor("ended").values<int32_t>();
  const auto score = c.tensor("score").values();
  const auto log_p = c.tensor("found_log_p").values();
  size_t i = 0;
  for (const auto& best : found) {
    ASSERT_EQ(best.size(), static_cast<size_t>(c.integer("beam")));
    for (const Hypothesis& one : best) {
      SCOPED_TRACE(i);
      EXPECT_EQ(one.ids, words[i]);
      EXPECT_EQ(one.ended, ended[i] == 1);
      EXPECT_NEAR(one.score, score[i], 1e-5);
      EXPECT_NEAR(one.log_probability, log_p[i], 5e-5);  // of ten words, each within 1e-5
      ++i;
    }
  }
  EXPECT_EQ(i, words.size());
}

void expect_searched(const Model& model, const FixtureCase& c, const Place& place) {
  const Sentences sources = sentences_of(c.tensor("sources"));
  SearchOptions options;
  options.allow_unk = true;  // as the peer does
  options.beam = options.n_best = c.integer("beam");
  options.max_length = c.integer("max_length");
  options.alpha = c.number("alpha");
  options.length_norm = "wu";
  expect_found(search(model, batch_of_ids(sources, {}, place), options), c);
  std::vector<std::vector<Hypothesis>> alone;  // whatever batch a sentence is in
  for (const auto& source : sources) {
    alone.push_back(search(model, batch_of_ids({source}, {}, place), options).front());
  }
  expect_found(alone, c);
}

void expect_peer(const std::string& fixture, size_t cases, const Place& place) {
  const RanOn guard(place);
  const auto all = read_fixture(fixture, place);
  EXPECT_EQ(all.size(), cases);
  for (const FixtureCase& c : all) {
    SCOPED_TRACE(c.name);
    const auto model = peer_model(c, place);
    expect_taught(*model, c, place);
    expect_searched(*model, c, place);
  }
}

TEST_P(WholePeers, Transformer) { expect_peer("transformer_translator", 2, GetParam()); }

TEST_P(WholePeers, Bahdanau) { expect_peer("bahdanau_translator", 1, GetParam()); }

INSTANTIATE_TEST_SUITE_P(Places, WholePeers, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::peers_test
