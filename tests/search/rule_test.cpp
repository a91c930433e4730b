// Rules, against the list of all sentences that obey them.
#include "heed/search/rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/config/apply.h"
#include "heed/search/rules.h"
#include "tests/search/told_decoder.h"
#include "tests/support/worked_out.h"

namespace heed::test::rule_test {
namespace {

using Words = std::vector<int32_t>;

AnyWord with(const std::string& settings) {
  AnyWord options;
  options.length_norm = "none";
  apply(options, parse_json(settings, "test"));
  return options;
}

std::vector<Hypothesis> find(const ToldDecoder& decoder, const SearchOptions& options,
                             const SentenceOptions& sentence = {}) {
  const Scorer members[] = {decoder.member()};
  return search(members, std::vector{sentence}, ToldDecoder::place(), options)[0];
}

bool repeats(const Words& said, size_t n) {
  std::set<Words> seen;
  for (size_t first = 0; first + n <= said.size(); ++first) {
    if (!seen.insert(Words(said.begin() + static_cast<std::ptrdiff_t>(first),
                           said.begin() + static_cast<std::ptrdiff_t>(first + n)))
             .second) {
      return true;
    }
  }
  return false;
}

/// The sentences of a wide beam are those that obey, with the probabilities that the model gives.
void expect_those_that_obey(const ToldDecoder& decoder, const SearchOptions& options, int64_t limit,
                            const std::function<bool(const Hypothesis&)>& obeys) {
  std::vector<Hypothesis> expected = every_sentence(decoder, limit);
  const size_t all = expected.size();
  std::erase_if(expected, [&](const Hypothesis& one) { return !obeys(one); });
  ASSERT_LT(expected.size(), all);
  const std::vector<Hypothesis> found = find(decoder, options);
  ASSERT_EQ(found.size(), expected.size());
  for (const Hypothesis& one : found) {
    const auto same = std::find_if(expected.begin(), expected.end(), [&](const Hypothesis& other) {
      return other.ids == one.ids && other.ended == one.ended;
    });
    ASSERT_NE(same, expected.end());
    EXPECT_NEAR(same->log_probability, one.log_probability, 1e-5);
  }
}

TEST(Rules, NoNgramOccursTwice) {
  for (const size_t n : {1, 2, 3}) {
    const ToldDecoder decoder(3, 5, 2);
    AnyWord options = with(R"({"max_length": 4, "no_repeat_ngram": )" + std::to_string(n) + "}");
    options.beam = options.n_best = 600;
    expect_those_that_obey(decoder, options, 4,
                           [n](const Hypothesis& one) { return !repeats(one.ids, n); });
  }
}

TEST(Rules, NoOutputIsShorterThanAsked) {
  const ToldDecoder decoder(4, 5, 2);
  AnyWord options = with(R"({"max_length": 4, "min_length": 3})");
  options.beam = options.n_best = 600;
  expect_those_that_obey(decoder, options, 4,
                         [](const Hypothesis& one) { return one.ids.size() >= 3; });
}

TEST(Rules, TheLimitOfLengthLeavesRoomForThem) {
  const ToldDecoder decoder(4, 5, 2);
  EXPECT_EQ(find(decoder, with(R"({"max_length": 2, "min_length": 5})")).front().ids.size(), 5U);
}

/// Every strategy obeys. A prefix need not.
TEST(Rules, EveryStrategyObeys) {
  for (const char* how : {R"("strategy": "beam")", R"("strategy": "beam", "beam": 4, "n_best": 4)",
                          R"("strategy": "diverse", "diverse": 2, "beam": 4, "n_best": 4)",
                          R"("strategy": "sample", "n_best": 5)",
                          R"("strategy": "sample", "n_best": 5, "top_k": 3, "top_p": 0.9)",
                          R"("strategy": "constrained", "beam": 5)"}) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const ToldDecoder decoder(seed, 9, 3);
      const AnyWord options = with(std::string("{") + how +
                                   R"(, "max_length": 8, "min_length": 5, "no_repeat_ngram": 2})");
      const SentenceOptions sentence{.prefix = {4, 4, 4}};
      for (const Hypothesis& one : find(decoder, options, sentence)) {
        EXPECT_GE(one.ids.size(), 5U) << how << " " << seed;
        EXPECT_FALSE(repeats(Words(one.ids.begin() + 2, one.ids.end()), 2)) << how << " " << seed;
        EXPECT_EQ(Words(one.ids.begin(), one.ids.begin() + 3), (Words{4, 4, 4})) << how;
      }
    }
  }
}

/// A hypothesis that no word may follow ends where it is.
TEST(Rules, WhereAllWordsAreClosedAnOutputEnds) {
  const ToldDecoder decoder(1, 5, 1);  // beside end and start there are three words
  for (const char* how : {"beam", "sample"}) {
    const AnyWord options = with(std::string(R"({"strategy": ")") + how +
                                 R"(", "max_length": 9, "min_length": 9, "no_repeat_ngram": 1})");
    const std::vector<Hypothesis> found = find(decoder, options);
    ASSERT_EQ(found.size(), 1U) << how;
    EXPECT_EQ(found[0].ids.size(), 3U) << how;
    EXPECT_FALSE(found[0].ended) << how;
  }
}

TEST(Rules, TheUnknownTokenIsSaidOnlyWhereItIsAllowed) {
  for (const char* how : {"beam", "sample", "constrained", "diverse"}) {
    bool is_said = false;
    for (uint64_t seed = 0; seed < 30; ++seed) {
      const ToldDecoder decoder(seed, 6, 2);
      for (const bool allows : {false, true}) {
        SearchOptions options = with(std::string(R"({"strategy": ")") + how +
                                     R"(", "beam": 4, "n_best": 4, "max_length": 6})");
        options.allow_unk = allows;
        for (const Hypothesis& one : find(decoder, options)) {
          const bool has_unknown =
              std::find(one.ids.begin(), one.ids.end(), SpecialTokens().unknown()) != one.ids.end();
          EXPECT_TRUE(allows || !has_unknown) << how << " " << seed;
          is_said = is_said || has_unknown;
        }
      }
    }
    EXPECT_TRUE(is_said) << how;
  }
}

TEST(Rules, ClosedTokensAreInNoOutput) {
  const ToldDecoder decoder(3, 6, 2);
  AnyWord options = with(R"({"max_length": 3, "closed": [4, 2]})");
  options.beam = options.n_best = 600;
  expect_those_that_obey(decoder, options, 3, [](const Hypothesis& one) {
    return std::none_of(one.ids.begin(), one.ids.end(),
                        [](int32_t word) { return word == 4 || word == 2; });
  });
}

TEST(Rules, TokensClosedFirstBeginNoOutput) {
  const ToldDecoder decoder(5, 6, 2);
  const int32_t end = SpecialTokens().end();
  AnyWord options = with(R"({"max_length": 3, "closed_first": [4, )" + std::to_string(end) + "]}");
  options.beam = options.n_best = 600;
  expect_those_that_obey(decoder, options, 3, [](const Hypothesis& one) {
    return !one.ids.empty() && one.ids.front() != 4;
  });
}

/// The words of a start cost nothing, count for nothing and obey no rule: what follows is what would
/// follow them as a prefix, with the probability of its own words.
TEST(Rules, AStartCostsNothing) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const ToldDecoder decoder(seed, 7, 2);
    const AnyWord options = with(R"({"beam": 3, "n_best": 3, "length_norm": "length", "alpha": 1,)"
                                 R"( "max_length": 5, "closed": [4], "closed_first": [3]})");
    const SentenceOptions started{.start = {{4}, {5}}};
    for (const Hypothesis& one : find(decoder, options, started)) {
      ASSERT_GE(one.ids.size(), 2U);
      EXPECT_EQ(Words(one.ids.begin(), one.ids.begin() + 2), (Words{4, 5}));
      double log_p = 0;
      Words said = {4, 5};
      for (size_t i = 2; i <= one.ids.size(); ++i) {
        const int32_t word = i < one.ids.size() ? one.ids[i] : SpecialTokens().end();
        if (i < one.ids.size() || one.ended) {
          log_p += decoder.log_probabilities(0, said)[static_cast<size_t>(word)];
        }
        said.push_back(word);
        EXPECT_NE(word, 4);
        EXPECT_TRUE(i > 2 || word != 3);
      }
      const auto words = static_cast<double>(one.ids.size()) - 2 + (one.ended ? 1 : 0);
      EXPECT_NEAR(one.log_probability, log_p, 1e-4) << seed;
      EXPECT_NEAR(one.score, log_p / std::max(words, 1.0), 1e-4) << seed;
      EXPECT_LE(one.ids.size(), 7U);
    }
  }
}

/// At a place with several words the likeliest is taken, whatever the beam and whatever rules close.
TEST(Rules, AStartChoosesTheLikeliest) {
  std::set<int32_t> chosen;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const ToldDecoder decoder(seed, 8, 2);
    for (const char* beam : {"1", "4"}) {
      const AnyWord options =
          with(std::string(R"({"max_length": 4, "closed": [5, 6], "beam": )") + beam + "}");
      const Hypothesis found =
          find(decoder, options, {.start = {{4}, {5, 6, 7}}, .prefix = {3}})[0];
      const std::vector<double> log_p = decoder.log_probabilities(0, {4});
      const int32_t best =
          log_p[5] > log_p[6] ? (log_p[5] > log_p[7] ? 5 : 7) : (log_p[6] > log_p[7] ? 6 : 7);
      EXPECT_EQ(Words(found.ids.begin(), found.ids.begin() + 3), (Words{4, best, 3})) << seed;
      chosen.insert(best);
    }
  }
  EXPECT_GT(chosen.size(), 1U);
  const ToldDecoder decoder(1, 5, 2);
  EXPECT_THROW(find(decoder, with("{}"), {.start = {{}}}), Error);
  EXPECT_THROW(find(decoder, with("{}"), {.start = {{99}}}), Error);
}

TEST(Rules, ACopyHasItsOwnSettings) {
  AnyWord options = with(R"({"min_length": 3})");
  AnyWord copy = options;
  apply(copy, parse_json(R"({"min_length": 0})", "test"));
  EXPECT_NE(options.rules.first_on(), nullptr);
  EXPECT_EQ(copy.rules.first_on(), nullptr);
  EXPECT_EQ(options.rules.first_on()->kind(), "min_length");
}

TEST(Rules, EveryOneIsWorkedOut) {
  expect_worked_out(rules(), {{"min_length", "Rules.NoOutputIsShorterThanAsked"},
                              {"no_repeat_ngram", "Rules.NoNgramOccursTwice"},
                              {"closed", "Rules.ClosedTokensAreInNoOutput"},
                              {"closed_first", "Rules.TokensClosedFirstBeginNoOutput"}});
}

}  // namespace
}  // namespace heed::test::rule_test
