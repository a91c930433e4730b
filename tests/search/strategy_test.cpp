// Tests of constraints, groups and samples, on decoders with prescribed probabilities.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "heed/config/explain.h"
#include "heed/search/phrases.h"
#include "heed/search/strategies.h"
#include "tests/search/told_decoder.h"

namespace heed::test::strategy_test {
namespace {

bool holds(const std::vector<int32_t>& said, const std::vector<int32_t>& phrase) {
  return std::search(said.begin(), said.end(), phrase.begin(), phrase.end()) != said.end();
}

TEST(Phrases, KnowHowFarASentenceHasCome) {
  const std::vector<std::vector<int32_t>> phrases = {{3, 4, 5}, {6}};
  const auto at = [&](std::vector<int32_t> said) { return progress_of(said, phrases); };
  EXPECT_EQ(at({}).words, 0U);
  EXPECT_EQ(at({}).missing, 4U);
  EXPECT_EQ(at({7, 3, 4}).words, 2U);
  EXPECT_EQ(at({7, 3, 4}).missing, 2U);
  EXPECT_EQ(at({3, 4, 7}).words, 0U);  // given up
  EXPECT_EQ(at({3, 3, 4}).begun[0], 2U);
  EXPECT_EQ(at({6, 3, 4, 5, 8}).missing, 0U);
  EXPECT_EQ(words_onward(at({3}), phrases), (std::vector<int32_t>{4, 6}));
  EXPECT_EQ(words_onward(at({3, 4, 5}), phrases), (std::vector<int32_t>{6}));
}

TEST(Strategies, NameSettingsOfSearchThatAreTheirsAlone) {
  SearchOptions options;
  std::map<std::string, int> named;
  for (const SettingHelp& setting : explain(options)) {
    named[setting.path] = 0;
  }
  for (const auto& strategy : options.strategies) {
    for (const SettingHelp& setting : explain(*strategy)) {
      ASSERT_TRUE(named.contains(setting.path)) << strategy->kind() << ", " << setting.path;
      EXPECT_EQ(++named[setting.path], 1) << setting.path;
    }
  }
  for (const char* setting : {"temperature", "top_k", "top_p", "diverse", "diversity"}) {
    EXPECT_EQ(named[setting], 1) << setting;
  }
}

TEST(Strategies, OfACopyHaveTheirOwnSettings) {
  SearchOptions options;
  options.strategies.set("top_k", 7);
  SearchOptions copy = options;
  copy.strategies.set("top_k", 8);
  EXPECT_EQ(changed_settings(options).write(), R"({"top_k":7})");
  EXPECT_EQ(changed_settings(copy).write(), R"({"top_k":8})");
  EXPECT_THROW(options.strategies.set("top_k", -1), Error);
  EXPECT_THROW(options.strategies.set("beam", 2), Error) << "no strategy's own";
  EXPECT_THROW(options.strategies.at("beem"), Error);
}

TEST(Constrained, AlwaysSaysThePhrases) {
  constexpr int64_t words = 7;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const ToldDecoder decoder(seed, words, 2);
    const Draws draws({seed, 0, 77});
    SentenceOptions sentence;
    size_t total = 0;
    for (uint64_t p = 0; p < 1 + seed % 3; ++p) {
      std::vector<int32_t> phrase;
      for (uint64_t w = 0; w < 1 + draws.below(10 * p, 3); ++w) {
        const auto id = static_cast<int32_t>(1 + draws.below(10 * p + w + 1, words - 1));
        phrase.push_back(id == SpecialTokens().start() ? 3 : id);
      }
      total += phrase.size();
      sentence.phrases.push_back(phrase);
    }
    AnyWord options;
    options.strategy = "constrained";
    options.beam = 1 + static_cast<int64_t>(seed % 6);
    options.n_best = options.beam;
    options.max_length = seed % 2 == 0 ? 6 : 1;  // 1: no room but for the phrases
    const Scorer members[] = {decoder.member()};
    const auto found = search(members, std::vector{sentence}, ToldDecoder::place(), options)[0];
    ASSERT_FALSE(found.empty()) << seed;
    for (const Hypothesis& one : found) {
      EXPECT_LE(one.ids.size(), std::max<size_t>(total, 6)) << seed;
      for (const auto& phrase : sentence.phrases) {
        EXPECT_TRUE(holds(one.ids, phrase)) << seed;
      }
    }
  }
}

TEST(Constrained, AWideBeamFindsTheBestThatHoldsThePhrases) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const ToldDecoder decoder(seed, 6);
    const std::vector<std::vector<int32_t>> phrases = {{4, 3}, {5}};
    AnyWord options;
    options.strategy = "constrained";
    options.length_norm = "none";
    options.beam = 3000;
    options.max_length = 4;
    const Scorer members[] = {decoder.member()};
    const auto found = search(members, std::vector{SentenceOptions{.phrases = phrases}},
                              ToldDecoder::place(), options)[0];
    double best = -1e9;
    for (const Hypothesis& one : every_sentence(decoder, 4)) {
      if (holds(one.ids, phrases[0]) && holds(one.ids, phrases[1])) {
        best = std::max(best, one.log_probability);
      }
    }
    EXPECT_NEAR(found.front().log_probability, best, 2e-5) << seed;
  }
}

TEST(Constrained, WithoutPhrasesIsABeam) {
  const ToldDecoder decoder(4, 9);
  const Scorer members[] = {decoder.member(3)};
  AnyWord options;
  options.beam = 3;
  options.max_length = 6;
  const auto plain = search(members, {}, ToldDecoder::place(), options);
  options.strategy = "constrained";
  const auto constrained = search(members, {}, ToldDecoder::place(), options);
  for (size_t b = 0; b < plain.size(); ++b) {
    EXPECT_EQ(plain[b][0].ids, constrained[b][0].ids);
  }
}

TEST(Diverse, OneGroupIsABeamAndManySpeakDifferently) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const ToldDecoder decoder(seed, 12);
    const Scorer members[] = {decoder.member()};
    AnyWord options;
    options.beam = 4;
    options.n_best = 4;
    options.max_length = 5;
    const auto plain = search(members, {}, ToldDecoder::place(), options)[0];
    options.strategy = "diverse";
    const auto one = search(members, {}, ToldDecoder::place(), options)[0];
    ASSERT_EQ(plain.size(), one.size());
    for (size_t i = 0; i < plain.size(); ++i) {
      EXPECT_EQ(plain[i].ids, one[i].ids);
    }
    options.strategies.set("diverse", 4);
    options.strategies.set("diversity", 1e6);  // no word twice at one position
    const auto four = search(members, {}, ToldDecoder::place(), options)[0];
    std::set<int32_t> first;
    for (const Hypothesis& said : four) {
      first.insert(said.ids.empty() ? SpecialTokens().end() : said.ids.front());
    }
    EXPECT_EQ(first.size(), 4U) << seed;
    options.strategies.set("diversity", 0);  // the groups do not see each other
    const auto same = search(members, {}, ToldDecoder::place(), options)[0];
    for (const Hypothesis& said : same) {
      EXPECT_EQ(said.ids, same.front().ids);
    }
  }
}

TEST(Diverse, ChargesAWordOnceForEachGroupThatSaidIt) {
  const ToldDecoder decoder(3, 10);
  const Scorer members[] = {decoder.member()};
  AnyWord options;
  options.strategy = "diverse";
  options.beam = 3;
  options.strategies.set("diverse", 3);
  options.n_best = 3;
  options.max_length = 1;
  options.strategies.set("diversity", 0.3);
  std::vector<int32_t> expected;
  for (int group = 0; group < 3; ++group) {
    auto merit = decoder.log_probabilities(0, {});
    merit[SpecialTokens().start()] = -1e9;
    for (const int32_t word : expected) {
      merit[static_cast<size_t>(word)] -= 0.3;
    }
    expected.push_back(
        static_cast<int32_t>(std::max_element(merit.begin(), merit.end()) - merit.begin()));
  }
  std::vector<int32_t> said;
  const auto found = search(members, {}, ToldDecoder::place(), options)[0];
  for (const Hypothesis& one : found) {
    said.push_back(one.ended ? SpecialTokens().end() : one.ids.front());
  }
  std::sort(said.begin(), said.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(said, expected);
}

/// Σ (seen − expected)² / expected over words with probability; words without must not be seen.
double chi_square(const std::map<int32_t, int64_t>& seen, const std::vector<double>& p,
                  int64_t draws) {
  double total = 0;
  for (size_t id = 0; id < p.size(); ++id) {
    const auto at = seen.find(static_cast<int32_t>(id));
    const double count = at == seen.end() ? 0 : static_cast<double>(at->second);
    if (p[id] == 0) {
      EXPECT_EQ(count, 0) << id;
      continue;
    }
    const double expected = p[id] * static_cast<double>(draws);
    total += (count - expected) * (count - expected) / expected;
  }
  return total;
}

struct Sampled {
  double temperature;
  int64_t top_k;
  double top_p;
};

/// The distribution by hand: tempered, cut to k, cut to p, all in order of probability.
std::vector<double> expected_share(std::vector<double> log_p, const Sampled& how) {
  log_p[SpecialTokens().start()] = -1e9;
  std::vector<std::pair<double, size_t>> order;
  double total = 0;
  for (size_t id = 0; id < log_p.size(); ++id) {
    order.emplace_back(std::exp(log_p[id] / how.temperature), id);
    total += order.back().first;
  }
  std::sort(order.rbegin(), order.rend());
  if (how.top_k > 0) {
    order.resize(static_cast<size_t>(how.top_k));
    total = 0;
    for (const auto& [share, id] : order) {
      total += share;
    }
  }
  std::vector<double> p(log_p.size(), 0);
  double reached = 0;
  double kept = 0;
  for (const auto& [share, id] : order) {
    if (reached < how.top_p && share > 0) {
      p[id] = share;
      kept += share;
    }
    reached += share / total;
  }
  for (double& share : p) {
    share /= kept;
  }
  return p;
}

TEST(Sampling, DrawsEachWordAsOftenAsItShould) {
  const ToldDecoder decoder(11, 9);
  constexpr int64_t samples = 20000;
  for (const Sampled& how : {Sampled{1, 0, 1}, Sampled{0.5, 0, 1}, Sampled{2, 0, 1},
                             Sampled{1, 4, 1}, Sampled{1, 0, 0.7}, Sampled{1.5, 5, 0.8}}) {
    AnyWord options;
    options.strategy = "sample";
    options.strategies.set("temperature", how.temperature);
    options.strategies.set("top_k", how.top_k);
    options.strategies.set("top_p", how.top_p);
    options.n_best = samples;
    options.max_length = 1;
    const Scorer members[] = {decoder.member()};
    std::map<int32_t, int64_t> seen;
    const auto found = search(members, {}, ToldDecoder::place(), options)[0];
    for (const Hypothesis& one : found) {
      ++seen[one.ended ? SpecialTokens().end() : one.ids.front()];
    }
    const auto p = expected_share(decoder.log_probabilities(0, {}), how);
    // 99.9 % of such sums lie below 26.1 where nine words may be drawn (8 degrees of freedom);
    // fewer words, a lower bound.
    EXPECT_LT(chi_square(seen, p, samples), 26.1) << how.temperature << how.top_k << how.top_p;
  }
}

TEST(Sampling, WholeSentencesComeAsOftenAsTheyShould) {
  const ToldDecoder decoder(12, 5);
  AnyWord options;
  options.strategy = "sample";
  options.n_best = 20000;
  options.max_length = 2;
  options.seed = 5;
  const Scorer members[] = {decoder.member()};
  std::map<std::vector<int32_t>, double> seen;
  const auto found = search(members, {}, ToldDecoder::place(), options)[0];
  for (const Hypothesis& one : found) {
    auto ids = one.ids;
    ids.push_back(one.ended ? 0 : -1);
    seen[ids] += 1;
    EXPECT_LT(one.log_probability, 0);
  }
  // p(Y) given that no word is <s>, which is never drawn.
  double chi = 0;
  int cells = 0;
  for (const Hypothesis& one : every_sentence(decoder, 2)) {
    double p = std::exp(one.log_probability);
    std::vector<int32_t> before;
    for (size_t t = 0; t < one.ids.size() + (one.ended ? 1 : 0); ++t) {
      p /= 1 - std::exp(decoder.log_probabilities(0, before)[SpecialTokens().start()]);
      before.push_back(t < one.ids.size() ? one.ids[t] : 0);
    }
    auto ids = one.ids;
    ids.push_back(one.ended ? 0 : -1);
    const double expected = p * 20000;
    chi += (seen[ids] - expected) * (seen[ids] - expected) / expected;
    ++cells;
  }
  EXPECT_EQ(cells, 13);   // 1 + 3 that end, 9 that are cut
  EXPECT_LT(chi, 32.91);  // 99.9 %, 12 degrees of freedom
}

TEST(Sampling, IsKeyedBySeedAndSentenceNotByBatch) {
  const ToldDecoder decoder(13, 30);
  AnyWord options;
  options.strategy = "sample";
  options.n_best = 2;
  options.max_length = 8;
  const Scorer one[] = {decoder.member(1)};
  const auto draw = [&](int64_t number, uint64_t seed) {
    options.seed = seed;
    return search(one, std::vector{SentenceOptions{.number = number}}, ToldDecoder::place(),
                  options)[0];
  };
  EXPECT_EQ(draw(0, 1)[0].ids, draw(0, 1)[0].ids);
  EXPECT_NE(draw(0, 1)[0].ids, draw(0, 2)[0].ids);
  EXPECT_NE(draw(0, 1)[0].ids, draw(1, 1)[0].ids);
  EXPECT_NE(draw(0, 1)[0].ids, draw(0, 1)[1].ids);
}

}  // namespace
}  // namespace heed::test::strategy_test
