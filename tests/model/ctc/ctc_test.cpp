// The decoder `ctc`, its paths and its prefixes, against the enumeration of every path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "heed/base/error.h"
#include "heed/base/philox.h"
#include "heed/model/ctc/prefix.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"

namespace heed::test::ctc_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Words = std::vector<TokenId>;

constexpr TokenId blank = 3;

/// Predictions of random frames over `words` words; `closed` is never said.
CtcFrames random_frames(int64_t count, int64_t words, uint64_t seed, int64_t closed = -1) {
  const Draws draws({.seed = seed});
  CtcFrames frames{count, words, blank};
  for (int64_t t = 0; t < count; ++t) {
    double total = 0;
    std::vector<double> p;
    for (int64_t v = 0; v < words; ++v) {
      const double logit = draws.normal_double(static_cast<uint64_t>(t * words + v));
      p.push_back(v == closed ? 1e-30 : std::exp(logit));
      total += p.back();
    }
    for (const double one : p) {
      frames.log_p.push_back(static_cast<float>(std::log(one / total)));
    }
  }
  return frames;
}

/// Every path with its probability.
struct Path {
  Words symbols;
  double p = 1;
};

std::vector<Path> every_path(const CtcFrames& frames) {
  std::vector<Path> all = {{}};
  for (int64_t t = 0; t < frames.count; ++t) {
    std::vector<Path> longer;
    for (const Path& path : all) {
      for (TokenId v = 0; v < static_cast<TokenId>(frames.words); ++v) {
        longer.push_back(path);
        longer.back().symbols.push_back(v);
        longer.back().p *= std::exp(frames.at(t, v));
      }
    }
    all = std::move(longer);
  }
  return all;
}

Words collapsed(const Words& path) {
  Words words;
  for (size_t t = 0; t < path.size(); ++t) {
    if (path[t] != blank && (t == 0 || path[t] != path[t - 1])) {
      words.push_back(path[t]);
    }
  }
  return words;
}

std::map<Words, double> every_target(const CtcFrames& frames) {
  std::map<Words, double> all;
  for (const Path& path : every_path(frames)) {
    all[collapsed(path.symbols)] += path.p;
  }
  return all;
}

bool begins(const Words& whole, const Words& with) {
  return whole.size() >= with.size() && std::equal(with.begin(), with.end(), whole.begin());
}

TEST(CtcPaths, TheProbabilityOfATargetIsTheSumOverItsPaths) {
  const CtcFrames frames = random_frames(5, 5, 3);
  double total = 0;
  for (const auto& [words, p] : every_target(frames)) {
    EXPECT_NEAR(std::exp(ctc_log_probability(frames, words)), p, 1e-9);
    total += p;
  }
  EXPECT_NEAR(total, 1, 1e-6);
  EXPECT_EQ(ctc_log_probability(frames, Words{4, 4, 4, 4}),  // needs seven frames
            -std::numeric_limits<double>::infinity());
}

TEST(CtcPaths, SpikesAreWhereThePathsAre) {
  const CtcFrames frames = random_frames(5, 5, 8);
  const Words words = {4, 4, 0};
  // By enumeration: in which frames is the n-th word said, over all paths of these words?
  std::vector<std::vector<double>> said(words.size() + 1, std::vector<double>(5, 0));
  for (const Path& path : every_path(frames)) {
    if (collapsed(path.symbols) != words) {
      continue;
    }
    size_t word = 0;
    TokenId before = blank;
    for (size_t t = 0; t < path.symbols.size(); ++t) {
      const TokenId now = path.symbols[t];
      word += now != blank && now != before ? 1 : 0;
      if (now != blank) {
        said[word - 1][t] += path.p;
      } else if (word == words.size()) {
        said[word][t] += path.p;
      }
      before = now;
    }
  }
  const auto spikes = ctc_spikes(frames, words);
  ASSERT_EQ(spikes.size(), 4U);
  for (size_t i = 0; i < said.size(); ++i) {
    double total = 0;
    for (const double p : said[i]) {
      total += p;
    }
    for (size_t t = 0; t < 5; ++t) {
      EXPECT_NEAR(spikes[i][t], said[i][t] / total, 1e-6) << i << ", " << t;
    }
  }
}

/// Each of two slots has two frames, or every frame looks at three slots.
TEST(CtcPaths, SpikesBySlotFollowTheFrames) {
  CtcFrames frames = random_frames(4, 5, 8);
  const Words words = {4, 0};
  const auto spikes = ctc_spikes(frames, words);
  frames.slots = 2;
  const auto halves = slot_spikes(frames, words);
  frames.slots = 3;
  frames.looked = {1, 0, 0, 0.5, 0.25, 0.25, 0, 0, 1, 0, 0.75, 0.25};
  const auto looked = slot_spikes(frames, words);
  ASSERT_EQ(halves.size(), 3U);
  ASSERT_EQ(looked.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    const std::vector<float>& at = spikes[i];
    EXPECT_NEAR(halves[i][0], at[0] + at[1], 1e-6);
    EXPECT_NEAR(halves[i][1], at[2] + at[3], 1e-6);
    EXPECT_NEAR(looked[i][0], at[0] + 0.5 * at[1], 1e-6);
    EXPECT_NEAR(looked[i][1], 0.25 * at[1] + 0.75 * at[3], 1e-6);
    EXPECT_NEAR(looked[i][2], 0.25 * at[1] + at[2] + 0.25 * at[3], 1e-6);
  }
}

TEST(CtcPrefix, ItsContinuationsAreThoseOfAllTargets) {
  constexpr TokenId end = 0;
  const CtcFrames frames = random_frames(5, 6, 5, end);
  const std::map<Words, double> targets = every_target(frames);
  const auto psi = [&targets](const Words& prefix) {
    double total = 0;
    for (const auto& [words, p] : targets) {
      total += begins(words, prefix) ? p : 0;
    }
    return total;
  };
  for (const Words& prefix : {Words{}, Words{4}, Words{4, 4}, Words{5, 1, 4}}) {
    CtcPrefix one(std::make_shared<const CtcFrames>(frames));
    for (const TokenId word : prefix) {
      one.extend(word);
    }
    const std::vector<float> steps = one.continuations(end);
    for (const TokenId word : {1, 2, 4, 5}) {
      Words longer = prefix;
      longer.push_back(word);
      EXPECT_NEAR(std::exp(steps[static_cast<size_t>(word)]), psi(longer) / psi(prefix), 1e-5)
          << prefix.size() << ", " << word;
    }
    EXPECT_NEAR(std::exp(steps[end]), targets.at(prefix) / psi(prefix), 1e-5);
    EXPECT_EQ(steps[blank], CtcPrefix::least_step);
  }
}

TEST(CtcPrefix, AWordThatNoPathLeavesRoomForCostsAFixedAmount) {
  const auto frames = std::make_shared<const CtcFrames>(random_frames(2, 6, 5));
  CtcPrefix prefix(frames);
  prefix.extend(4);
  EXPECT_EQ(prefix.continuations(0)[4], CtcPrefix::least_step);  // 4 4 needs three frames
  prefix.extend(4);
  EXPECT_EQ(prefix.continuations(0)[5], CtcPrefix::least_step);
}

TEST(CtcPrefix, TheProbabilitiesOfTheWordsMultiplyToThatOfTheTarget) {
  const auto frames = std::make_shared<const CtcFrames>(random_frames(7, 6, 9));
  const Words words = {4, 5, 5, 1};
  double total = 0;
  for (const double log_p : ctc_word_log_probabilities(frames, words, 0)) {
    total += log_p;
  }
  EXPECT_NEAR(total, ctc_log_probability(*frames, words), 1e-4);
}

constexpr std::array<Special, 1> blank_too = {Special::blank};
const Place place{&forced("reference"), DType::f64};

std::unique_ptr<Model> ctc_model(const std::string& decoder) {
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(R"({"embedding": 4, "encoder": {"kind": "gru", "width": 4},
    "decoder": )" + decoder + "}",
                           "test"));
  Init init(place, 21);
  model->build(RowForm::ids(source_words), RowForm::ids(target_words, SpecialTokens(blank_too)),
               init);
  move_parameters(*model);
  return model;
}

TEST(CtcDecoder, IsALinearLayerOverFrames) {
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const auto model = ctc_model(R"({"kind": "ctc", "upsample": 2})");
  const Batch batch = batch_of_ids({{5, 6}, {7}}, {{4, 5}, {6}}, place);
  const Encoded encoded = model->encode(batch.source, pass);
  const Decoded said = model->teach(batch, {}, pass);
  EXPECT_THAT(said.framed->frames.lengths(),
              ElementsAre(6, 4));  // with the end of the source, twice each
  EXPECT_EQ(said.framed->blank, blank);
  const std::vector<double> h = encoded.blocks.back().values();
  const std::vector<double> u = parameter_named(*model, "decoder.split.weight").values();  // [8, 4]
  const std::vector<double> c = parameter_named(*model, "decoder.split.bias").values();
  const std::vector<double> w = parameter_named(*model, "decoder.output.weight").values();
  const std::vector<double> b = parameter_named(*model, "decoder.output.bias").values();
  const std::vector<double> logits = said.logits.values();
  ASSERT_EQ(logits.size(), 10U * target_words);
  for (size_t t = 0; t < 10; ++t) {
    for (size_t v = 0; v < static_cast<size_t>(target_words); ++v) {
      double expected = b[v];
      for (size_t d = 0; d < 4; ++d) {
        const size_t row = t % 2 * 4 + d;
        double frame = c[row];
        for (size_t e = 0; e < 4; ++e) {
          frame += u[row * 4 + e] * h[t / 2 * 4 + e];
        }
        expected += w[v * 4 + d] * frame;
      }
      EXPECT_NEAR(logits[t * target_words + v], expected, 1e-12);
    }
  }
}

TEST(CtcDecoder, ReportsItsSpikesAsWeights) {
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const auto model = ctc_model(R"({"kind": "ctc", "upsample": 2})");
  EXPECT_TRUE(model->decoder().aligns());
  const Batch batch = batch_of_ids({{5, 6}, {7}}, {{4, 5}, {6}}, place);
  const Decoded said = model->teach(batch, {.weights = true}, pass);
  ASSERT_EQ(said.reports.size(), 1U);
  const Tensor& weights = said.reports.front().weights;
  ASSERT_EQ(weights.shape(), (Shape{5, 1, 3}));  // two words and the end, one word and the end
  const auto second = slot_spikes(ctc_frames(said)[1], Words{6});
  const std::vector<double> values = weights.values();
  for (size_t i = 0; i < 2; ++i) {
    for (size_t s = 0; s < 2; ++s) {
      EXPECT_NEAR(values[(3 + i) * 3 + s], second[i][s], 1e-6);
    }
    EXPECT_EQ(values[(3 + i) * 3 + 2], 0);  // beyond its memory
  }
}

const std::string with_blocks = R"({"kind": "ctc", "upsample": 2, "blocks": {"depth": 2, "width": 8,
  "self": {"heads": 2}, "cross": {"heads": 2}, "feed_forward": {"width": 8}}})";

TEST(CtcDecoder, WithBlocksASentenceDoesNotDependOnItsNeighbours) {
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const auto model = ctc_model(with_blocks);
  const std::vector<std::vector<int32_t>> sources = {{5, 6, 4}, {7}, {8, 5}};
  const std::vector<std::vector<int32_t>> targets = {{4, 5}, {6}, {5}};
  const Decoded all = model->teach(batch_of_ids(sources, targets, place), {.weights = true}, pass);
  const std::vector<double> logits = all.logits.values();
  const std::vector<double> weights = all.reports.front().weights.values();
  size_t frame = 0;
  size_t row = 0;
  for (size_t b = 0; b < sources.size(); ++b) {
    const Batch own = batch_of_ids({sources[b]}, {targets[b]}, place);
    const Decoded alone = model->teach(own, {.weights = true}, pass);
    for (const double logit : alone.logits.values()) {
      EXPECT_NEAR(logits[frame++], logit, 1e-12);
    }
    const Tensor& looked = alone.reports.front().weights;
    for (int64_t i = 0; i < looked.size(0); ++i, ++row) {
      for (int64_t j = 0; j < looked.size(2); ++j) {
        EXPECT_NEAR(weights[row * 4 + static_cast<size_t>(j)],
                    looked.values()[static_cast<size_t>(i * looked.size(2) + j)], 1e-6);
      }
    }
  }
  EXPECT_EQ(frame, logits.size());
}

/// Where a word was said, times where the frames there look, the mean of heads and blocks.
TEST(CtcDecoder, WithBlocksReportsWhereItsFramesLook) {
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const auto model = ctc_model(with_blocks);
  const Batch batch = batch_of_ids({{5, 6}}, {{4, 5}}, place);
  const Decoded said = model->teach(batch, {.weights = true}, pass);
  const auto& decoder = *as<Framewise>(model->decoder());
  const Decoded frames =
      decoder.at_frames(model->remember(batch.source, pass), {.weights = true}, pass);
  ASSERT_EQ(frames.reports.size(), 2U);
  const auto spikes = ctc_spikes(ctc_frames(frames)[0], Words{4, 5});
  const std::vector<double> reported = said.reports.front().weights.values();  // [3, 1, 3]
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      double expected = 0;
      for (const Attended& block : frames.reports) {
        const std::vector<double> looked = block.weights.values();  // [6, 2, 3]
        for (size_t t = 0; t < 6; ++t) {
          expected += spikes[i][t] * (looked[t * 6 + j] + looked[t * 6 + 3 + j]) / 4;
        }
      }
      EXPECT_NEAR(reported[i * 3 + j], expected, 1e-6);
    }
  }
}

TEST(CtcDecoder, WithoutBlocksHasNothingElseToSet) {
  Model model;
  try {
    apply(model, parse_json(R"({"decoder": {"kind": "ctc", "blocks": {"width": 8}}})", "test"));
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("width"));
  }
}

TEST(CtcDecoder, NeedsABlankInTheVocabulary) {
  Model model;
  apply(model, parse_json(R"({"decoder": "ctc"})", "test"));
  EXPECT_THAT(model.needed_specials(), ElementsAre(Special::blank));
  Init init(place, 1);
  try {
    model.build(RowForm::ids(source_words), RowForm::ids(target_words), init);
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("lacks blank, the special token that ctc needs"));
  }
}

}  // namespace
}  // namespace heed::test::ctc_test
