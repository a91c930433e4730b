// Mask-predict by hand: the schedule, the choice of what is masked again, and a whole search of a model
// whose every answer is known.
#include "heed/search/mask_predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "heed/ops/softmax.h"
#include "heed/search/search.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/search/told_decoder.h"

namespace heed::test::mask_predict_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int64_t> schedule(int64_t words, int64_t rounds) {
  std::vector<int64_t> masked;
  for (int64_t round = 0; round < rounds; ++round) {
    masked.push_back(masked_in_round(words, round, rounds));
  }
  return masked;
}

TEST(MaskPredict, MasksFewerWordsInEveryRound) {
  EXPECT_THAT(schedule(12, 4), ElementsAre(12, 9, 6, 3));  // as the paper's example
  EXPECT_THAT(schedule(5, 3), ElementsAre(5, 3, 1));
  EXPECT_THAT(schedule(2, 4), ElementsAre(2, 1, 1, 0));
  EXPECT_THAT(schedule(7, 1), ElementsAre(7));
}

TEST(MaskPredict, MasksTheLeastSureAgain) {
  const std::vector<double> log_p = {-0.1, -2, -0.5, -2, -3};
  EXPECT_THAT(least_sure(log_p, 1), ElementsAre(4));
  EXPECT_THAT(least_sure(log_p, 2), ElementsAre(1, 4));  // of two equals the first
  EXPECT_THAT(least_sure(log_p, 3), ElementsAre(1, 3, 4));
  EXPECT_THAT(least_sure(log_p, 0), ElementsAre());
}

const Place place{&forced("reference"), DType::f64};
constexpr std::array<Special, 1> mask_too = {Special::mask};

std::unique_ptr<Model> filling_model() {
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(R"({"embedding": 8, "encoder": {"kind": "gru", "width": 8},
    "decoder": {"kind": "mask_predict", "width": 8, "depth": 1, "length_range": 2}})",
                           "test"));
  Init init(place, 21);
  model->build(RowForm::ids(source_words), RowForm::ids(target_words, SpecialTokens(mask_too)),
               init);
  move_parameters(*model);
  return model;
}

/// log p of every word at every position of one target, given what is seen of it, its end included.
std::vector<std::vector<double>> filled(const Model& model, const Batch& batch,
                                        const std::vector<int32_t>& seen) {
  Pass pass = Pass::serving();
  const std::vector<int32_t> rows = {static_cast<int32_t>(seen.size())};
  const Tensor ids = Tensor::of(seen, {rows[0]}, place.with(DType::i32));
  const Tensor log_p = log_softmax(
      model.parallel()
          .fill(model.remember(batch.source, pass), {ids, Layout::packed(rows, place)}, pass)
          .logits);
  const std::vector<double> values = log_p.values();
  std::vector<std::vector<double>> by_row;
  for (size_t row = 0; row < seen.size(); ++row) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * target_words);
    by_row.emplace_back(first, first + target_words);
  }
  return by_row;
}

/// One length, by hand: what is found and how sure each word is.
Hypothesis by_hand(const Model& model, const Batch& batch, size_t words, int64_t rounds) {
  std::vector<int32_t> said(words, 0);
  std::vector<double> sure(words, 0);
  for (int64_t round = 0; round < rounds; ++round) {
    const auto count = static_cast<size_t>(words * static_cast<size_t>(rounds - round) /
                                           static_cast<size_t>(rounds));
    std::vector<bool> is_masked(words, false);
    for (size_t k = 0; k < count; ++k) {  // the least sure that is not masked yet
      size_t least = words;
      for (size_t i = 0; i < words; ++i) {
        if (!is_masked[i] && (least == words || sure[i] < sure[least])) {
          least = i;
        }
      }
      is_masked[least] = true;
    }
    std::vector<int32_t> seen = said;
    for (size_t i = 0; i < words; ++i) {
      seen[i] = is_masked[i] ? 3 : seen[i];
    }
    seen.push_back(0);
    const auto log_p = filled(model, batch, seen);
    for (size_t i = 0; i < words; ++i) {
      if (!is_masked[i]) {
        continue;
      }
      int32_t best = 1;  // never the end 0, the start 2 or the mask 3
      for (int32_t v = 4; v < target_words; ++v) {
        best = log_p[i][static_cast<size_t>(v)] > log_p[i][static_cast<size_t>(best)] ? v : best;
      }
      said[i] = best;
      sure[i] = log_p[i][static_cast<size_t>(best)];
    }
  }
  Hypothesis found;
  found.ids = said;
  Pass pass = Pass::serving();
  const LengthScores lengths = model.parallel().lengths(model.remember(batch.source, pass), pass);
  found.log_probability =
      log_softmax(lengths.logits).values()[words - static_cast<size_t>(lengths.first[0])];
  for (const double log_p : sure) {
    found.log_probability += log_p;
  }
  found.score = found.log_probability / static_cast<double>(words);
  return found;
}

TEST(MaskPredict, FindsWhatTheRoundsGive) {
  const NoGrad no_grad;
  const auto model = filling_model();
  const IdSequences sources = {{3, 4, 5, 6}, {7, 3, 3}, {10, 9, 8, 3, 4}};
  const Batch all = batch_of_ids(sources, {}, place);
  for (const int64_t rounds : {1, 2, 4}) {
    AnyWord options;
    options.parallel.rounds = rounds;
    options.parallel.length_beam = 3;
    options.n_best = 3;
    const auto found = search(*model, all, options);
    ASSERT_EQ(found.size(), sources.size());
    for (size_t b = 0; b < sources.size(); ++b) {
      ASSERT_EQ(found[b].size(), 3U);
      const Batch alone = batch_of_ids({sources[b]}, {}, place);
      double before = 0;
      for (const Hypothesis& one : found[b]) {
        const Hypothesis expected = by_hand(*model, alone, one.ids.size(), rounds);
        EXPECT_EQ(one.ids, expected.ids) << b << ", " << rounds << " rounds";
        EXPECT_NEAR(one.log_probability, expected.log_probability, 1e-9);
        EXPECT_NEAR(one.score, expected.score, 1e-9);
        EXPECT_TRUE(one.ended);
        EXPECT_TRUE(&one == &found[b].front() || one.score <= before);
        before = one.score;
      }
    }
  }
}

TEST(MaskPredict, TriesTheLikeliestLengths) {
  const NoGrad no_grad;
  const auto model = filling_model();
  const Batch batch = batch_of_ids({{3, 4, 5, 6}}, {}, place);
  Pass pass = Pass::serving();
  const LengthScores scores = model->parallel().lengths(model->remember(batch.source, pass), pass);
  const std::vector<double> logits = scores.logits.values();
  const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
  AnyWord options;
  options.parallel.length_beam = 1;
  EXPECT_EQ(search(*model, batch, options)[0][0].ids.size(), 2U + static_cast<size_t>(best));
  options.max_length = 1;
  EXPECT_EQ(search(*model, batch, options)[0][0].ids.size(), 1U);
  options.weights = true;
  EXPECT_EQ(search(*model, batch, options)[0][0].weights.size(), 2U);  // the word and the end
}

TEST(MaskPredict, IsAskedAloneAndForWholeTargets) {
  const auto model = filling_model();
  const Batch batch = batch_of_ids({{3, 4}}, {}, place);
  const Model* twice[] = {model.get(), model.get()};
  const auto refusal = [&](std::span<const Model* const> models, const SentenceOptions& sentence) {
    try {
      search(models, batch, std::vector{sentence}, {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  EXPECT_THAT(
      refusal(twice, {}),
      HasSubstr(
          "several models are for decoders that write one word after the other, and mask_predict"));
  EXPECT_THAT(refusal({twice, 1}, {.prefix = {4}}),
              HasSubstr("a prefix is for decoders that write"));
  EXPECT_THAT(refusal({twice, 1}, {.phrases = {{4}}}),
              HasSubstr("a phrase to say is for decoders"));
}

/// The same model, which ends at its first end token; its bias makes that token likelier.
std::unique_ptr<Model> ending_model(double likelier) {
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(R"({"embedding": 8, "encoder": {"kind": "gru", "width": 8},
    "decoder": {"kind": "mask_predict", "width": 8, "depth": 1, "length_range": 2, "tied": false,
                "length_from": "end"}})",
                           "test"));
  Init init(place, 21);
  model->build(RowForm::ids(source_words), RowForm::ids(target_words, SpecialTokens(mask_too)),
               init);
  move_parameters(*model);
  const Tensor& bias = parameter_named(*model, "decoder.output.bias");
  std::vector<double> values = bias.values();
  values[0] += likelier;
  copy_values(Tensor::of(values, bias.shape(), place), bias);
  return model;
}

/// The likeliest of all words but start and mask; the end is one of them.
int32_t likeliest(const std::vector<double>& log_p) {
  int32_t best = 0;
  for (const int32_t v : {1, 4, 5, 6, 7, 8}) {
    best = log_p[static_cast<size_t>(v)] > log_p[static_cast<size_t>(best)] ? v : best;
  }
  return best;
}

TEST(MaskPredict, OneRoundEndsAtTheFirstEnd) {
  const NoGrad no_grad;
  const Batch batch = batch_of_ids({{3, 4, 5, 6}}, {}, place);
  std::set<bool> endings;
  for (const double likelier : {-9.0, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 9.0}) {
    const auto model = ending_model(likelier);
    const auto log_p = filled(*model, batch, std::vector<int32_t>(6, 3));  // 4 + R masks
    Hypothesis expected;
    for (const auto& row : log_p) {
      const int32_t said = likeliest(row);
      expected.log_probability += row[static_cast<size_t>(said)];
      expected.ended = said == 0;
      if (expected.ended) {
        break;
      }
      expected.ids.push_back(said);
    }
    AnyWord options;
    options.parallel.rounds = 1;
    options.weights = true;
    const Hypothesis found = search(*model, batch, options).front().front();
    EXPECT_EQ(found.ids, expected.ids) << likelier;
    EXPECT_EQ(found.ended, expected.ended) << likelier;
    EXPECT_NEAR(found.log_probability, expected.log_probability, 1e-12) << likelier;
    EXPECT_EQ(found.weights.size(), found.ids.size() + (found.ended ? 1 : 0));
    endings.insert(found.ended);
    options.parallel.rounds = 4;  // later rounds end as well
    EXPECT_LE(search(*model, batch, options).front().front().ids.size(), 6U);
  }
  EXPECT_EQ(endings.size(), 2U);
}

/// What one round says, the first end included, and how sure it is of each word.
struct FirstRound {
  FirstRound(const Model& model, const Batch& batch) {
    for (const auto& row : filled(model, batch, std::vector<int32_t>(6, 3))) {
      said.push_back(likeliest(row));
      sure.push_back(row[static_cast<size_t>(said.back())]);
      if (said.back() == 0) {
        break;
      }
    }
  }
  std::vector<int32_t> said;
  std::vector<double> sure;
};

TEST(MaskPredict, LaterRoundsSeeTheEndBehindTheFirstEnd) {
  const NoGrad no_grad;
  const Batch batch = batch_of_ids({{3, 4, 5, 6}}, {}, place);
  int compared = 0;
  for (double likelier = 0; likelier < 3; likelier += 0.01) {
    const auto model = ending_model(likelier);
    FirstRound first(*model, batch);
    const size_t kept = first.said.size();
    if (kept < 2 || kept == 6) {
      continue;
    }
    // The second of two rounds masks half of what there is up to the end.
    std::vector<int32_t> seen = first.said;
    for (const size_t i : least_sure(first.sure, static_cast<int64_t>(kept) / 2)) {
      seen[i] = 3;
    }
    seen.resize(6, 0);
    const auto again = filled(*model, batch, seen);
    std::vector<int32_t> said = first.said;
    for (size_t i = 0; i < kept; ++i) {
      said[i] = seen[i] == 3 ? likeliest(again[i]) : said[i];
    }
    said.resize(static_cast<size_t>(std::find(said.begin(), said.end(), 0) - said.begin()));
    AnyWord options;
    options.parallel.rounds = 2;
    EXPECT_EQ(search(*model, batch, options).front().front().ids, said) << likelier;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST(MaskPredict, TheLengthMayBeGiven) {
  const NoGrad no_grad;
  const Batch batch = batch_of_ids({{3, 4, 5, 6}, {7, 8}}, {}, place);
  const auto predicting = filling_model();
  const auto ending = ending_model(9);
  AnyWord options;
  options.parallel.rounds = 3;
  for (const Model* model : {predicting.get(), ending.get()}) {
    for (const int64_t length : {1, 5, 9}) {
      options.parallel.length = length;
      for (const auto& found : search(*model, batch, options)) {
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(static_cast<int64_t>(found.front().ids.size()), length);
        EXPECT_TRUE(found.front().ended);
        EXPECT_THAT(found.front().ids, ::testing::Not(::testing::Contains(0)));
      }
    }
  }
  // With the length that the model would choose, the words are those it would say.
  options.parallel.length = 0;
  options.parallel.length_beam = 1;
  const auto chosen = search(*predicting, batch, options);
  options.parallel.length = static_cast<int64_t>(chosen[0].front().ids.size());
  EXPECT_EQ(search(*predicting, batch, options)[0].front().ids, chosen[0].front().ids);
  options.max_length = 3;
  options.parallel.length = 4;
  EXPECT_THROW(search(*predicting, batch, options), Error);
  options.max_length = 100;
  EXPECT_THROW(search(*small_model("gru", "attend_first", place), batch, options), Error);
}

}  // namespace
}  // namespace heed::test::mask_predict_test
