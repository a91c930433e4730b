// A program's own parts, added while it runs: recipes, help, errors and model files know them.
#include "heed/extend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/file.h"
#include "heed/heed.h"
#include "tests/base/scratch_directory.h"

namespace heed::extend_test {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

/// e_ij = f · q_iᵀ k_j
class Factor : public Score {
 public:
  void describe(Describer& d) override { d.setting("factor", factor_, {.help = "f", .least = 0}); }
  void build(const ScoreWidths& widths, Init& /*init*/) override {
    require_equal_widths(widths, "factor");
  }
  Tensor operator()(const Tensor& query, const Tensor& keys,
                    const Tensor& /*past*/) const override {
    return factor_ * matmul(query, unsqueeze(keys, 2), {.transpose_b = true});
  }

 private:
  double factor_ = 1;
};

/// softmax, once more
class Soft : public Normaliser {
 public:
  Normalised operator()(const Tensor& scores, const Tensor& /*count*/,
                        Pass& /*pass*/) const override {
    return {softmax(scores), {}, {}};
  }
};

/// Slots up to the row's own position, as `causal`.
class First : public Focus {
 public:
  void narrow(Where& where, const FocusInput& in) const override {
    const Tensor first = Tensor::zeros({1, 1, 1, 1}, in.query.place());
    open_only(where, first, first + 2);
  }
};

/// Twice the cross-entropy.
class Twice : public Objective {
 public:
  Tensor operator()(const TaughtBatch& taught) override {
    ++calls;
    return 2 * (*once_)(taught);
  }
  static inline int calls = 0;

 private:
  std::unique_ptr<Objective> once_ = objectives().make("teacher_forcing");
};

/// 100 · outputs that say something / outputs
class Says : public Metric {
 public:
  bool compares_by_units() const override { return true; }
  std::vector<AlignedUnits> aligned(const std::string& hypothesis,
                                    const References& references) const override {
    return {{hypothesis.empty() ? EditStep::deletion : EditStep::substitution, references.front(),
             hypothesis}};
  }
  std::string_view name() const override { return "says"; }
  bool higher_is_better() const override { return true; }
  Traits traits() const override { return {}; }
  using Metric::score;
  double score(const Statistics& sum) const override { return 100 * sum[0] / sum[1]; }

 protected:
  Statistics count(const std::string& hypothesis, const References& /*references*/) const override {
    return {hypothesis.empty() ? 0.0 : 1.0, 1};
  }
};

void add_parts() {
  static const bool is_done = [] {
    scores().add({"factor", {"times"}, "f qᵀk", [] { return std::make_unique<Factor>(); }});
    normalisers().add({"soft", {}, "softmax", [] { return std::make_unique<Soft>(); }});
    focuses().add({"first_two", {}, "j < 2", [] { return std::make_unique<First>(); }});
    objectives().add({"twice", {}, "2 L", [] { return std::make_unique<Twice>(); }});
    metrics().add({"says", {}, "100 #{h_i ≠ ∅} / N", [] { return std::make_unique<Says>(); }});
    return true;
  }();
  static_cast<void>(is_done);
}

const std::string recipe = R"(
[data]
synth = "reverse"
train_examples = 40
valid_examples = 6

[model]
embedding = 4
encoder = { kind = "gru", width = 5 }
decoder = { kind = "attend_after", width = 5, embedding = 4 }

[training]
steps = 4
batch_sentences = 8
validate_every = 2
samples = 0
)";

TEST(Extend, PartsOfAProgramTrainAndAreSavedAndLoaded) {
  add_parts();
  const ScratchDirectory scratch;
  const Engine engine({.backend = "reference"});
  const std::string attention = "model.decoder.attention.";
  const std::vector<std::string> own = {attention + "score={kind=\"times\", factor=1.5}",
                                        attention + "normaliser=soft",
                                        attention + "focus=first_two", "training.metric=says"};
  const auto train = [&](const std::string& folder, const std::vector<std::string>& settings) {
    return engine.train({.text = recipe, .settings = settings, .folder = scratch / folder});
  };
  const TrainingResult result = train("own", own);
  EXPECT_EQ(result.end, TrainingEnd::finished);
  EXPECT_THAT(read_file(scratch / "own/metrics.jsonl"), HasSubstr("\"metric\":\"says\""));
  const LoadedModel model = engine.load(result.model);
  const Output best =
      model.translate({.sources = {"a b c d"}, .options = {.weights = true}}).front().best();
  ASSERT_FALSE(best.weights.empty());
  for (const auto& row : best.weights) {
    EXPECT_NEAR(row[0] + row[1], 1, 1e-5) << "the first two slots are all it sees";
  }
}

TEST(Extend, AnObjectiveOfAProgramIsWhatTrains) {
  add_parts();
  const ScratchDirectory scratch;
  const Engine engine({.backend = "reference"});
  Twice::calls = 0;
  engine.train(
      {.text = recipe, .settings = {"training.objectives=twice"}, .folder = scratch / "run"});
  EXPECT_GE(Twice::calls, 4);
}

TEST(Extend, AMetricOfAProgramSaysWhatDiffers) {
  add_parts();
  const auto units = metrics().make("says")->aligned("", {"a word"});
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units.front().edit, EditStep::deletion);
  EXPECT_EQ(units.front().reference, "a word");
}

TEST(Extend, ListsAndErrorsKnowThem) {
  add_parts();
  const std::vector<Listing> all = catalogues();
  EXPECT_THAT(all.front().entries, Contains(Field(&Listing::Entry::name, "factor")));
  const ScratchDirectory scratch;
  try {
    Engine({.backend = "reference"})
        .train({.text = recipe,
                .settings = {"model.decoder.attention.score=factr"},
                .folder = scratch / "run"});
    FAIL() << "there is no such score";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean \"factor\"?"));
  }
  EXPECT_THROW(scores().add({"dot", {}, "", [] { return std::make_unique<Factor>(); }}), Error);
}

/// An operator composed of others has their gradients.
TEST(Extend, GradientsFlowThroughOnesOwnScore) {
  add_parts();
  const Place place = place_on("reference").with(DType::f64);
  const auto score = scores().make("factor");
  Init init(place, 1);
  score->build({.query = 3, .key = 3}, init);
  const Tensor query = Tensor::random({1, 1, 1, 2, 3}, Distribution::normal, {1, 0, 1}, place);
  Tensor keys = Tensor::random({1, 1, 4, 3}, Distribution::normal, {1, 0, 2}, place);
  keys.watch();
  sum((*score)(query, keys, {})).backward();
  const auto gradient = keys.gradient().values();
  const auto q = query.values();
  for (size_t i = 0; i < gradient.size(); ++i) {
    EXPECT_NEAR(gradient[i], q[i % 3] + q[3 + i % 3], 1e-12);
  }
}

}  // namespace
}  // namespace heed::extend_test
