// Compares searches with the enumeration of all sentences, on decoders with prescribed
// probabilities.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "tests/search/told_decoder.h"

namespace heed::test::enumeration_test {
namespace {

constexpr double close_enough = 2e-5;  // a few float32 logarithms

SearchOptions wide_options(int64_t limit) {
  AnyWord options;
  options.beam = 2000;  // more than there are sentences
  options.n_best = 2000;
  options.max_length = limit;
  return options;
}

std::vector<Hypothesis> find(const ToldDecoder& decoder, const SearchOptions& options,
                             const std::vector<SentenceOptions>& sentences = {}) {
  const Scorer members[] = {decoder.member()};
  return search(members, sentences, ToldDecoder::place(), options)[0];
}

/// By hand: Wu 2016's formula, Marian's, and the coverage penalty.
double worth(const Hypothesis& said, const SearchOptions& options) {
  const double length = static_cast<double>(said.ids.size()) + (said.ended ? 1 : 0);
  double norm = 1;
  if (options.length_norm == "wu") {
    norm = std::pow(5 + length, options.alpha) / std::pow(6, options.alpha);
  } else if (options.length_norm == "length") {
    norm = std::exp(options.alpha * std::log(length));
  }
  double coverage = 0;
  for (size_t j = 0; j < ToldDecoder::slots; ++j) {
    double looked = 0;
    for (const auto& row : said.weights) {
      looked += row[j];
    }
    coverage += std::log(std::min(looked, 1.0));
  }
  return said.log_probability / norm + options.coverage * coverage;
}

void expect_same(const std::vector<Hypothesis>& found, std::vector<Hypothesis> all,
                 const SearchOptions& options) {
  for (Hypothesis& one : all) {
    one.score = worth(one, options);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  ASSERT_EQ(found.size(), all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_NEAR(found[i].score, all[i].score, close_enough) << i;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Hypothesis& one) {
      return one.ids == found[i].ids && one.ended == found[i].ended;
    });
    ASSERT_NE(same, all.end());
    EXPECT_NEAR(same->log_probability, found[i].log_probability, close_enough);
  }
  EXPECT_EQ(found.front().ids, all.front().ids);
}

TEST(Beam, AsWideAsThereAreSentencesFindsThemAllInOrder) {
  for (const char* normalise : {"none", "wu", "length"}) {
    for (const double coverage : {0.0, 0.4}) {
      const ToldDecoder decoder(5, 6);
      SearchOptions options = wide_options(3);  // 1 + 4 + 16 that end, 64 that are cut
      options.length_norm = normalise;
      options.coverage = coverage;
      options.alpha = 0.8;
      expect_same(find(decoder, options), every_sentence(decoder, 3), options);
    }
  }
}

/// Special tokens are where the vocabulary says, and those that no sentence says are never found.
TEST(Beam, FindsThemAllWhicheverIdsSpecialTokensHave) {
  ToldDecoder decoder(5, 7);
  SpecialTokens specials;
  specials.set(Special::start, 0);
  specials.set(Special::end, 6);
  specials.set(Special::unknown, 3);
  specials.set(Special::mask, 4);
  specials.set(Special::padding, 1);
  decoder.set_vocabulary(specials);
  for (const char* strategy : {"beam", "constrained"}) {
    SearchOptions options = wide_options(3);  // words 2, 3, 5: 1 + 3 + 9 that end, 27 that are cut
    options.strategy = strategy;
    expect_same(find(decoder, options), every_sentence(decoder, 3), options);
  }
  for (const char* strategy : {"beam", "sample", "diverse", "constrained"}) {
    for (uint64_t seed = 1; seed < 20; ++seed) {
      SearchOptions options = wide_options(5);
      options.strategy = strategy;
      options.beam = options.n_best = 4;
      options.strategies.set("diverse", 2);
      options.seed = seed;
      for (const Hypothesis& one : find(decoder, options)) {
        for (const int32_t id : one.ids) {
          EXPECT_TRUE(id == 2 || id == 3 || id == 5) << strategy << " said " << id;
        }
      }
    }
  }
}

TEST(Beam, OfOneIsGreedy) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const ToldDecoder decoder(seed, 7);
    AnyWord options;
    options.max_length = 6;
    const Hypothesis found = find(decoder, options).front();
    std::vector<int32_t> said;
    bool ended = false;
    while (said.size() < 6 && !ended) {
      auto log_p = decoder.log_probabilities(0, said);
      log_p[SpecialTokens().start()] = -1e9;
      const auto best =
          static_cast<int32_t>(std::max_element(log_p.begin(), log_p.end()) - log_p.begin());
      ended = best == SpecialTokens().end();
      if (!ended) {
        said.push_back(best);
      }
    }
    EXPECT_EQ(found.ids, said) << seed;
    EXPECT_EQ(found.ended, ended) << seed;
  }
}

TEST(Beam, WiderNeverDoesWorseThanAllItsPeersOnAverage) {
  double narrow = 0;
  double wide = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const ToldDecoder decoder(seed, 8);
    AnyWord options;
    options.max_length = 5;
    options.length_norm = "none";
    narrow += find(decoder, options).front().log_probability;
    options.beam = 6;
    wide += find(decoder, options).front().log_probability;
  }
  EXPECT_GT(wide, narrow);
}

TEST(Beam, GivesNoMoreThanThereIsAndInOrder) {
  const ToldDecoder decoder(1, 5);
  AnyWord options;
  options.beam = 3;
  options.n_best = 2;
  options.max_length = 4;
  const auto found = find(decoder, options);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_GE(found[0].score, found[1].score);
  EXPECT_NE(found[0].ids, found[1].ids);
}

TEST(Limit, CountsWordsByNumberAndBySource) {
  // A decoder that hardly ends: its end token is as likely as any of many words.
  const ToldDecoder decoder(3, 60, 0.1);
  AnyWord options;
  options.beam = 2;
  for (const int64_t most : {1, 2, 5}) {
    options.max_length = most;
    EXPECT_LE(find(decoder, options).front().ids.size(), static_cast<size_t>(most));
  }
  options.max_length = 0;
  options.max_length_factor = 1;  // of three words
  options.max_length_margin = 1;
  const auto found = find(decoder, options);
  EXPECT_EQ(found.front().ids.size(), 4U);
  EXPECT_FALSE(found.front().ended);
}

TEST(Prefix, IsSaidFirstAndTheRestIsSearched) {
  const ToldDecoder decoder(9, 6);
  const std::vector<int32_t> prefix = {4, 3};
  const SearchOptions options = wide_options(4);
  std::vector<Hypothesis> begun;
  for (const Hypothesis& one : every_sentence(decoder, 4)) {
    if (one.ids.size() >= 2 && one.ids[0] == 4 && one.ids[1] == 3) {
      begun.push_back(one);
    }
  }
  expect_same(find(decoder, options, {{.prefix = prefix}}), begun, options);
}

TEST(Prefix, BelongsToItsSentence) {
  const ToldDecoder decoder(9, 6);
  const Scorer members[] = {decoder.member(3)};
  const std::vector<SentenceOptions> sentences = {{.prefix = {5, 5, 3}}, {}, {.prefix = {4}}};
  AnyWord options;
  options.beam = 3;
  options.max_length = 5;
  const auto found = search(members, sentences, ToldDecoder::place(), options);
  const auto free = search(members, {}, ToldDecoder::place(), options);
  EXPECT_EQ(std::vector(found[0][0].ids.begin(), found[0][0].ids.begin() + 3), sentences[0].prefix);
  EXPECT_EQ(found[1][0].ids, free[1][0].ids);
  EXPECT_EQ(found[2][0].ids.front(), 4);
}

TEST(Rows, OfWhatIsFinishedAreGone) {
  const ToldDecoder decoder(2, 9, 2);
  const Scorer members[] = {decoder.member(6)};
  AnyWord options;
  options.beam = 2;
  options.max_length = 12;
  search(members, {}, ToldDecoder::place(), options);
  EXPECT_EQ(decoder.rows().front(), 6);
  EXPECT_EQ(*std::max_element(decoder.rows().begin(), decoder.rows().end()), 12);
  EXPECT_LT(decoder.rows().back(), 12);
  EXPECT_GT(decoder.rows().back(), 0);
}

/// log p(Y) of an ensemble, word by word, by hand.
double said_by_both(const ToldDecoder& a, const ToldDecoder& b, const Hypothesis& said,
                    const std::string& mean, double share = 0.5) {
  double total = 0;
  std::vector<int32_t> words = said.ids;
  if (said.ended) {
    words.push_back(SpecialTokens().end());
  }
  std::vector<int32_t> before;
  for (const int32_t word : words) {
    const auto p = a.log_probabilities(0, before);
    const auto q = b.log_probabilities(0, before);
    double norm = 0;
    std::vector<double> mixed;
    for (size_t id = 0; id < p.size(); ++id) {
      mixed.push_back(mean == "probability"
                          ? share * std::exp(p[id]) + (1 - share) * std::exp(q[id])
                          : std::pow(std::exp(p[id]), share) *
                                std::pow(std::exp(q[id]), 1 - share));
      norm += mixed.back();
    }
    total += std::log(mixed[static_cast<size_t>(word)] / norm);
    before.push_back(word);
  }
  return total;
}

TEST(Ensemble, SaysTheMean) {
  const ToldDecoder a(1, 6);
  const ToldDecoder b(2, 6);
  for (const std::string& mean : ensemble_means()) {
    SearchOptions options = wide_options(2);
    options.ensemble = mean;
    const Scorer members[] = {a.member(), b.member()};
    const auto found = search(members, {}, ToldDecoder::place(), options)[0];
    EXPECT_EQ(found.size(), every_sentence(a, 2).size());
    for (const Hypothesis& one : found) {
      EXPECT_NEAR(one.log_probability, said_by_both(a, b, one, mean), close_enough) << mean;
    }
  }
}

TEST(Ensemble, CountsItsScorersByTheirWeights) {
  const ToldDecoder a(1, 6);
  const ToldDecoder b(2, 6);
  for (const std::string& mean : ensemble_means()) {
    SearchOptions options = wide_options(2);
    options.ensemble = mean;
    Scorer members[] = {a.member(), b.member()};
    members[0].weight = 3;
    members[1].weight = 2;
    const auto found = search(members, {}, ToldDecoder::place(), options)[0];
    EXPECT_EQ(found.size(), every_sentence(a, 2).size());
    for (const Hypothesis& one : found) {
      EXPECT_NEAR(one.log_probability, said_by_both(a, b, one, mean, 0.6), close_enough) << mean;
    }
  }
}

TEST(Ensemble, OfAModelWithItselfIsThatModel) {
  const ToldDecoder decoder(7, 6);
  for (const std::string& mean : ensemble_means()) {
    SearchOptions options = wide_options(3);
    options.weights = true;
    options.ensemble = mean;
    const Scorer members[] = {decoder.member(), decoder.member(), decoder.member()};
    const auto thrice = search(members, {}, ToldDecoder::place(), options)[0];
    const auto once = find(decoder, options);
    ASSERT_EQ(thrice.size(), once.size());
    EXPECT_EQ(thrice.front().ids, once.front().ids);
    for (size_t i = 0; i < once.size(); ++i) {
      EXPECT_NEAR(thrice[i].score, once[i].score, close_enough);
    }
    for (size_t j = 0; j < ToldDecoder::slots; ++j) {
      EXPECT_NEAR(thrice[0].weights[0][j], once[0].weights[0][j], close_enough);
    }
  }
}

TEST(Refusals, NameWhatIsWrong) {
  const ToldDecoder decoder(1, 6);
  const auto fault = [&](auto&& change) {
    AnyWord options;
    try {
      change(options);
      find(decoder, options);
    } catch (const Error& error) {
      return error.fault();
    }
    return Fault::runtime;
  };
  EXPECT_EQ(fault([](auto& o) { o.strategy = "beem"; }), Fault::usage);
  EXPECT_EQ(fault([](auto& o) { o.n_best = 2; }), Fault::usage);
  EXPECT_EQ(fault([](auto& o) { o.beam = 0; }), Fault::usage);
  EXPECT_EQ(fault([](auto& o) { o.ensemble = "mode"; }), Fault::usage);
  EXPECT_EQ(fault([](auto& o) { o.strategy = "sample", o.strategies.set("temperature", 0); }),
            Fault::usage);
  EXPECT_EQ(fault([](auto& o) { o.strategy = "sample", o.strategies.set("top_p", 0); }),
            Fault::usage);
  EXPECT_EQ(
      fault([](auto& o) { o.strategy = "diverse", o.beam = 4, o.strategies.set("diverse", 3); }),
      Fault::usage);
}

/// A beam by hand: every step sorts all continuations of all hypotheses. Log p is divided by the length.
std::vector<Hypothesis> beam_by_hand(const ToldDecoder& decoder, const SearchOptions& options,
                                     int32_t words) {
  const auto width = static_cast<size_t>(options.beam);
  const auto better = [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; };
  std::vector<Hypothesis> live(1);
  std::vector<Hypothesis> done;
  for (int64_t length = 1; !live.empty(); ++length) {
    std::vector<Hypothesis> next;
    for (const Hypothesis& from : live) {
      const std::vector<double> log_p = decoder.log_probabilities(0, from.ids);
      for (int32_t word = 0; word < words; ++word) {
        if (word != SpecialTokens().start()) {
          Hypothesis& one = next.emplace_back(from);
          one.ended = word == SpecialTokens().end();
          one.log_probability += log_p[static_cast<size_t>(word)];
          one.score = one.log_probability / static_cast<double>(length);
          if (!one.ended) {
            one.ids.push_back(word);
          }
        }
      }
    }
    std::sort(next.begin(), next.end(), better);
    live.clear();
    for (size_t rank = 0; rank < next.size() && live.size() < width; ++rank) {
      if (!next[rank].ended) {
        live.push_back(next[rank]);
      } else if (rank < width) {
        done.push_back(next[rank]);
      }
    }
    std::sort(done.begin(), done.end(), better);
    if (done.size() >= width &&
        (options.until == BeamEnds::full || live[0].score <= done[width - 1].score)) {
      return done;
    }
    if (length == options.max_length) {
      done.insert(done.end(), live.begin(), live.end());
      std::sort(done.begin(), done.end(), better);
      return done;
    }
  }
  return done;
}

TEST(Until, ABeamEndsWhenItIsFullOrSettled) {
  constexpr int32_t words = 7;
  int differ = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const ToldDecoder decoder(seed, words, 1.5);
    std::vector<std::vector<int32_t>> best;
    for (const BeamEnds until : {BeamEnds::full, BeamEnds::settled}) {
      AnyWord options;
      options.beam = 3;
      options.n_best = 3;
      options.length_norm = "length";
      options.alpha = 1;
      options.max_length = 9;
      options.max_length_factor = 0;
      options.max_length_margin = 9;
      options.until = until;
      const std::vector<Hypothesis> found = find(decoder, options);
      const std::vector<Hypothesis> expected = beam_by_hand(decoder, options, words);
      ASSERT_GE(expected.size(), found.size());
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].ids, expected[i].ids) << seed << " " << i;
        EXPECT_NEAR(found[i].score, expected[i].score, close_enough) << seed << " " << i;
      }
      best.push_back(found.front().ids);
    }
    differ += best[0] == best[1] ? 0 : 1;
  }
  EXPECT_GT(differ, 0);
}

}  // namespace
}  // namespace heed::test::enumeration_test
