// Searches of framewise decoders: the best path, prefixes, and joint scores beside an attention decoder,
// against the enumeration of every target.
#include "heed/search/ctc_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "heed/base/error.h"
#include "heed/model/ctc/prefix.h"
#include "heed/ops/softmax.h"
#include "heed/search/search.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/search/told_decoder.h"

namespace heed::test::ctc_search_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Words = std::vector<TokenId>;

/// p of each frame, word by word.
CtcFrames frames_of(const std::vector<std::vector<double>>& p, TokenId blank) {
  CtcFrames frames{static_cast<int64_t>(p.size()), static_cast<int64_t>(p.front().size()), blank};
  for (const auto& row : p) {
    for (const double one : row) {
      frames.log_p.push_back(static_cast<float>(std::log(one)));
    }
  }
  return frames;
}

TEST(CtcSearch, PrefixesFindWhatTheBestPathMisses) {
  // Graves 2006, figure 2: word 1, the blank 0. The best path is blank blank, with 0.36; but word 1 alone
  // has 0.4 · 0.4 + 0.4 · 0.6 + 0.6 · 0.4 = 0.64.
  const CtcFrames frames = frames_of({{0.6, 0.4}, {0.6, 0.4}}, 0);
  EXPECT_THAT(best_path(frames, {}), ElementsAre());
  const auto found = likeliest_prefixes(frames, 4, {});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0], ElementsAre(1));
  EXPECT_THAT(found[1], ElementsAre());
  EXPECT_NEAR(std::exp(ctc_log_probability(frames, found[0])), 0.64, 1e-6);
}

TEST(CtcSearch, TheBestPathMergesRepeatsUnlessABlankIsBetween) {
  const CtcFrames frames = frames_of(
      {{0.1, 0.8, 0.1}, {0.1, 0.8, 0.1}, {0.8, 0.1, 0.1}, {0.1, 0.8, 0.1}, {0.1, 0.1, 0.8}}, 0);
  EXPECT_THAT(best_path(frames, {}), ElementsAre(1, 1, 2));
  const Words closed = {2};
  EXPECT_THAT(best_path(frames, closed), ElementsAre(1, 1));
}

TEST(CtcSearch, SeparatorsAreBetweenWords) {
  EXPECT_THAT(separated_once(Words{9, 4, 9, 9, 5, 9}, 9), ElementsAre(4, 9, 5));
  EXPECT_THAT(separated_once(Words{9, 9}, 9), ElementsAre());
  EXPECT_THAT(separated_once(Words{4, 4, 5}, SpecialTokens::none), ElementsAre(4, 4, 5));
}

/// Every target of at most `limit` words from `said` on.
void enumerate(const Words& said, size_t limit, const Words& open, std::vector<Words>& all) {
  all.push_back(said);
  for (const TokenId word : open) {
    if (said.size() < limit) {
      Words longer = said;
      longer.push_back(word);
      enumerate(longer, limit, open, all);
    }
  }
}

constexpr std::array<Special, 1> blank_too = {Special::blank};
const SpecialTokens with_blank(blank_too);
const Words open_words = {1, 4, 5};  // unknown and two words; 0 end, 2 start, 3 blank

/// Logits of frames that are prescribed.
class ToldFrames : public Framewise {
 public:
  explicit ToldFrames(uint64_t seed) : seed_(seed) { set_vocabulary(with_blank); }
  static constexpr int64_t count = 4;
  static constexpr int64_t words = 6;

  void describe(Describer&) override {}
  void build(const DecoderWidths&, Init&) override {}
  Remembered remember(const Encoded&, Pass&) const override { return {}; }
  Decoded teach(const Remembered& memory, const Lesson&, Pass& pass) const override {
    return at_frames(memory, {}, pass);
  }
  Decoded at_frames(const Remembered& memory, const Report&, Pass&) const override {
    const std::vector<int32_t> lengths(memory.lengths.size(), count);
    Decoded out;
    std::vector<float> logits;
    for (size_t b = 0; b < lengths.size(); ++b) {
      const Draws draws({.seed = seed_, .step = b});
      for (int64_t i = 0; i < count * words; ++i) {
        const bool is_unsaid = i % words == 0 || i % words == 2;  // the end and the start
        logits.push_back(is_unsaid ? -60 : 2 * draws.normal(static_cast<uint64_t>(i)));
      }
    }
    out.logits = Tensor::of(logits, {static_cast<int64_t>(lengths.size()) * count, words},
                            ToldDecoder::place());
    out.framed = {Layout::packed(lengths, ToldDecoder::place()), with_blank.at(Special::blank)};
    return out;
  }
  CtcFrames frames(size_t sentence, size_t sentences) const {
    Remembered memory;
    memory.lengths.assign(sentences, ToldDecoder::slots);
    Pass pass = Pass::serving();
    return ctc_frames(at_frames(memory, {}, pass))[sentence];
  }

 private:
  uint64_t seed_;
};

TEST(CtcSearch, AWideBeamRanksAllTargets) {
  const CtcFrames frames = ToldFrames(4).frames(0, 1);
  std::vector<Words> all;
  enumerate({}, 4, open_words, all);
  std::erase_if(
      all, [&](const Words& words) { return !std::isfinite(ctc_log_probability(frames, words)); });
  std::sort(all.begin(), all.end(), [&](const Words& a, const Words& b) {
    return ctc_log_probability(frames, a) > ctc_log_probability(frames, b);
  });
  const Words closed = {0, 2};
  const auto found = likeliest_prefixes(frames, 200, closed);
  EXPECT_EQ(found, all);
  EXPECT_THAT(likeliest_prefixes(frames, 30, closed).front(), all.front());
}

/// The decoder that says one word after the other, over the same six words.
class ToldSpeaker : public ToldDecoder {
 public:
  explicit ToldSpeaker(uint64_t seed) : ToldDecoder(seed, ToldFrames::words) {
    set_vocabulary(with_blank);
  }
};

/// (1 − λ) Σ log p_att + λ Σ log p_ctc + β Σ log p_lm of a whole target, by hand.
double joint(const Words& words, const ToldDecoder& speaker, const ToldFrames* frames,
             const ToldDecoder* lm, double lambda, double beta) {
  double total = 0;
  Words said;
  for (size_t i = 0; i <= words.size(); ++i) {
    const auto next = static_cast<size_t>(i < words.size() ? words[i] : 0);
    total += (1 - lambda) * speaker.log_probabilities(0, said)[next];
    total += lm == nullptr ? 0 : beta * lm->log_probabilities(0, said)[next];
    if (i < words.size()) {
      said.push_back(words[i]);
    }
  }
  return total +
         (frames == nullptr ? 0 : lambda * ctc_log_probability(frames->frames(0, 1), words));
}

TEST(JointSearch, ScoresAreThoseOfBothDecoders) {
  constexpr double lambda = 0.4;
  const ToldSpeaker speaker(11);
  const ToldFrames frames(7);
  AnyWord options;
  options.beam = options.n_best = 500;
  options.length_norm = "none";
  options.max_length = 4;
  for (const char* strategy : {"beam", "constrained"}) {
    options.strategy = strategy;
    Scorer beside = speaker.member();
    beside.decoder = &frames;
    beside.weight = lambda;
    beside.role = ScorerRole::prefix;
    const Scorer members[] = {speaker.member(), beside};
    const auto found = search(members, {}, ToldDecoder::place(), options)[0];
    ASSERT_GT(found.size(), 30U);
    std::vector<Words> all;
    enumerate({}, 3, open_words, all);
    Words best;
    for (const Words& words : all) {
      const double expected = joint(words, speaker, &frames, nullptr, lambda, 0);
      best = best.empty() || expected > joint(best, speaker, &frames, nullptr, lambda, 0) ? words
                                                                                          : best;
      const auto same = std::find_if(found.begin(), found.end(), [&](const Hypothesis& one) {
        return one.ended && one.ids == words;
      });
      if (std::isfinite(ctc_log_probability(frames.frames(0, 1), words))) {
        ASSERT_NE(same, found.end());
        EXPECT_NEAR(same->weighted_sum.value(), expected, 1e-4);
        EXPECT_NEAR(same->log_probability, joint(words, speaker, nullptr, nullptr, 0, 0), 1e-4);
      }
    }
    EXPECT_EQ(found.front().ids, best);
  }
}

TEST(JointSearch, ALanguageModelAddsItsLogProbabilities) {
  constexpr double beta = 0.7;
  const ToldSpeaker speaker(11);
  const ToldSpeaker language(23);
  AnyWord options;
  options.beam = options.n_best = 500;
  options.length_norm = "none";
  options.max_length = 4;
  auto nothing = std::make_shared<Remembered>();
  nothing->lengths = {0};
  const Scorer members[] = {speaker.member(), {&language, beta, ScorerRole::added, nothing}};
  const auto found = search(members, {}, ToldDecoder::place(), options)[0];
  std::vector<Words> all;
  enumerate({}, 3, open_words, all);
  for (const Words& words : all) {
    const auto same = std::find_if(found.begin(), found.end(), [&](const Hypothesis& one) {
      return one.ended && one.ids == words;
    });
    ASSERT_NE(same, found.end());
    EXPECT_NEAR(same->weighted_sum.value(), joint(words, speaker, nullptr, &language, 0, beta),
                1e-4);
    EXPECT_NEAR(same->log_probability, joint(words, speaker, nullptr, nullptr, 0, 0), 1e-4);
  }
}

TEST(JointSearch, ManySentencesAreSearchedAsEachAlone) {
  const ToldSpeaker speaker(11);
  const ToldFrames frames(7);
  AnyWord options;
  options.beam = 3;
  options.max_length = 5;
  const auto members = [&](int64_t sentences) {
    Scorer beside = speaker.member(sentences);
    beside.decoder = &frames;
    beside.weight = 0.3;
    beside.role = ScorerRole::prefix;
    return std::vector<Scorer>{speaker.member(sentences), beside};
  };
  const auto together = search(members(5), {}, ToldDecoder::place(), options);
  const auto fewer = search(members(2), {}, ToldDecoder::place(), options);
  for (size_t s = 0; s < 2; ++s) {
    EXPECT_EQ(together[s].front().ids, fewer[s].front().ids);
    EXPECT_NEAR(together[s].front().log_probability, fewer[s].front().log_probability, 1e-5);
  }
}

const Place far{&forced("far"), DType::f32};

std::unique_ptr<Model> built(const std::string& settings) {
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(settings, "test"));
  Init init(far, 21);
  model->build(RowForm::ids(source_words), RowForm::ids(target_words, with_blank), init);
  move_parameters(*model);
  return model;
}

class CtcDecoders : public ::testing::TestWithParam<std::string> {};

TEST_P(CtcDecoders, HandOutTheirSpikes) {
  const auto model = built(R"({"embedding": 8, "encoder": {"kind": "gru", "width": 8},
                               "decoder": {"kind": "ctc", "upsample": 3, "blocks": )" +
                           GetParam() + "}}");
  const Batch batch = batch_of_ids({{5, 6, 4}, {7}}, {}, far);
  AnyWord options;
  options.beam = 6;
  options.n_best = 2;
  options.weights = true;
  const auto found = search(*model, batch, options);
  ASSERT_EQ(found.size(), 2U);
  for (size_t s = 0; s < 2; ++s) {
    ASSERT_EQ(found[s].size(), 2U);
    EXPECT_GE(found[s][0].score, found[s][1].score);
    const Hypothesis& best = found[s][0];
    ASSERT_EQ(best.weights.size(), best.ids.size() + 1);
    for (size_t i = 0; i < best.ids.size(); ++i) {
      EXPECT_EQ(best.weights[i].size(), s == 0 ? 4U : 2U);  // slots, the end's included
      double total = 0;
      for (const float weight : best.weights[i]) {
        total += weight;
      }
      EXPECT_NEAR(total, 1, 1e-5);
    }
  }
  options.n_best = 7;
  EXPECT_THROW(search(*model, batch, options), Error);
}

INSTANTIATE_TEST_SUITE_P(Blocks, CtcDecoders,
                         ::testing::Values("{}", R"({"depth": 2, "width": 8})"),
                         [](const auto& shown) { return shown.index == 0 ? "none" : "two"; });

/// ln p_ctc(Y) + β ln p_lm(Y), the language model taught with the whole target, against the search that asks
/// it word by word, for every decoder that can be a language model.
TEST(CtcSearch, ALanguageModelAddsItsLogProbabilities) {
  constexpr double beta = 0.6;
  const NoGrad no_grad;
  const CtcFrames frames = ToldFrames(4).frames(0, 1);
  const Words closed = {0, 2};
  std::vector<Words> all;
  enumerate({}, 4, open_words, all);
  std::erase_if(
      all, [&](const Words& words) { return !std::isfinite(ctc_log_probability(frames, words)); });
  for (const std::string decoder : {R"({"kind": "fixed", "width": 8, "embedding": 8})",
                                    R"({"kind": "transformer", "width": 8, "depth": 2})"}) {
    Model language;
    apply(language, parse_json(R"({"encoder": "none", "decoder": )" + decoder + "}", "test"));
    Init init(far, 5);
    language.build(RowForm::numbers(0), RowForm::ids(ToldFrames::words, with_blank), init);
    move_parameters(language);
    const auto said = [&](const Words& words) {
      std::vector<int32_t> target(words.begin(), words.end());
      const Batch batch = batch_of_ids({{}}, {target}, far);
      Pass pass = Pass::serving();
      const Tensor log_p = log_softmax(language.teach(batch, {}, pass).logits);
      double total = 0;
      for (size_t i = 0; i <= words.size(); ++i) {
        const auto next = static_cast<size_t>(i < words.size() ? words[i] : 0);
        total += beta * log_p.values<float>()[i * ToldFrames::words + next];
      }
      return total;
    };
    const PrefixLanguage walked(language, beta);
    std::map<double, Words, std::greater<>> ranked;
    for (const Words& words : all) {
      EXPECT_NEAR(walked.of_target(words), said(words), 1e-4) << decoder;
      ranked[ctc_log_probability(frames, words) + walked.of_target(words)] = words;
    }
    PrefixLanguage asked(language, beta);
    std::vector<Words> found = likeliest_prefixes(frames, 200, closed, &asked);
    ASSERT_EQ(found.size(), all.size()) << "every target that has a path";
    std::stable_sort(found.begin(), found.end(), [&](const Words& a, const Words& b) {
      return ctc_log_probability(frames, a) + walked.of_target(a) >
             ctc_log_probability(frames, b) + walked.of_target(b);
    });
    EXPECT_EQ(found.front(), ranked.begin()->second) << decoder;
  }
}

TEST(CtcSearch, ALanguageModelMayTurnTheResult) {
  const auto model = built(R"({"embedding": 8, "encoder": {"kind": "gru", "width": 8},
                               "decoder": {"kind": "ctc", "upsample": 3}})");
  Model language;
  apply(language, parse_json(R"({"encoder": "none", "decoder": {"kind": "fixed", "width": 8,
    "embedding": 8}})",
                             "test"));
  Init init(far, 5);
  language.build(RowForm::numbers(0), RowForm::ids(target_words, with_blank), init);
  move_parameters(language);
  const Batch batch = batch_of_ids({{5, 6, 4}, {7}}, {}, far);
  SearchOptions options;
  options.beam = 6;
  const auto alone = search(*model, batch, options);
  options.language_model = &language;
  options.lm_weight = 0;
  EXPECT_EQ(search(*model, batch, options)[0].front().score, alone[0].front().score);
  options.lm_weight = 0.5;
  const auto fused = search(*model, batch, options);
  const PrefixLanguage said(language, 0.5);
  for (size_t s = 0; s < 2; ++s) {
    const Hypothesis& best = fused[s].front();
    EXPECT_NEAR(best.score, best.log_probability + said.of_target(best.ids), 1e-5);
    EXPECT_GE(best.score,
              alone[s].front().log_probability + said.of_target(alone[s].front().ids) - 1e-5);
  }
  options.language_model = model.get();
  EXPECT_THROW(search(*model, batch, options), Error) << "it reads a source";
}

TEST(JointSearch, AModelWithBothDecodersUsesBoth) {
  const auto model = built(R"({"embedding": 8, "encoder": {"kind": "gru", "width": 8},
      "decoder": {"kind": "attend_first", "width": 8, "embedding": 8},
      "decoders": {"frames": "ctc"}})");
  const Batch batch = small_batch(far);
  AnyWord options;
  options.beam = 4;
  options.ctc_weight = 0;
  const auto alone = search(*model, batch, options);
  options.ctc_weight = 0.5;
  const auto both = search(*model, batch, options);
  EXPECT_NE(alone[0].front().log_probability, both[0].front().log_probability);
  const std::vector<Scorer> scorers = prefix_scorers(*model, 0.5);
  ASSERT_EQ(scorers.size(), 1U);
  EXPECT_EQ(scorers[0].decoder, &model->decoder("frames"));
  EXPECT_EQ(scorers[0].weight, 0.5);
  try {
    scorers_of(*model, {"frames"});
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("`ctc_weight`"));
  }
}

}  // namespace
}  // namespace heed::test::ctc_search_test
