#include "heed/text/token_spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"

namespace heed::token_spans_test {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> texts() {
  return {"the house of the rising sun", "houses and mice, 你好吗", "fine finds"};
}

std::unique_ptr<Tokeniser> learnt(const std::string& name, const std::string& normalise = "nfc") {
  auto tokeniser = tokenisers().make(name);
  if (tokeniser->learns()) {
    tokeniser->learn(texts(), {.max_size = 320, .normalise = normalise});
  }
  return tokeniser;
}

/// The bytes behind each token.
std::vector<std::string> behind(const Tokeniser& tokeniser, const std::string& text) {
  std::vector<std::string> all;
  for (const ByteSpan& span : token_spans(tokeniser, text, tokeniser.split(text))) {
    all.push_back(text.substr(span.begin, span.end - span.begin));
  }
  return all;
}

TEST(TokenSpans, OfWordsLeaveOutWhiteSpace) {
  EXPECT_THAT(behind(*words(), "  The\u2003house "), ElementsAre("The", "house"));
  EXPECT_THAT(behind(*learnt("lowercase_words"), "DER  İGEL Σ ΟΔΟΣ"),
              ElementsAre("DER", "İGEL", "Σ", "ΟΔΟΣ"));
}

TEST(TokenSpans, OfCharactersAndBytesAreThese) {
  EXPECT_THAT(behind(*characters(), "a 中"), ElementsAre("a", " ", "中"));
  const auto tokeniser = learnt("bytes");
  EXPECT_THAT(behind(*tokeniser, "é!"), ElementsAre("\xC3", "\xA9", "!"));
}

TEST(TokenSpans, GoThroughNormalisation) {
  const auto composed = learnt("unigram", "nfc");
  const std::string text = "  the  cafe\u0301";  // e and an accent become one letter
  const auto tokens = composed->split(text);
  const auto spans = token_spans(*composed, text, tokens);
  ASSERT_EQ(spans.size(), tokens.size());
  EXPECT_EQ(spans.back().end, text.size());
  EXPECT_EQ(text.substr(spans.back().begin), "e\u0301");
  EXPECT_EQ(tokens.front(), "▁");
  EXPECT_EQ(spans.front(), (ByteSpan{0, 2})) << "the blanks that it stands for";
  const auto compatible = learnt("bpe", "nfkc");
  const std::string wide = "Ｔhe ﬁne";  // a wide letter, and a ligature that becomes two
  std::string joined;
  for (const std::string& bytes : behind(*compatible, wide)) {
    joined += bytes + "|";
  }
  EXPECT_NE(joined.find("|Ｔ|"), std::string::npos) << joined;
  EXPECT_NE(joined.find("ﬁ"), std::string::npos) << joined;
}

/// Where nothing but white space is between two texts, what is behind a token splits into it alone.
TEST(TokenSpans, CoverEveryTextInOrder) {
  const std::vector<std::string> units = {"a", "the", " ", "  ", "e\u0301", "中", "😀", "\t",
                                          "ﬁ", "İ",   "Σ", "▁",  "Ａ",      "\n", ".", "\u00a0"};
  std::mt19937 random(5);
  for (const char* name : {"words", "lowercase_words", "characters", "bytes", "bpe", "unigram"}) {
    for (const char* normalise : {"none", "nfc", "nfkc", "nmt_nfkc"}) {
      const auto tokeniser = learnt(name, normalise);
      for (int round = 0; round < 200; ++round) {
        std::string text;
        for (unsigned i = random() % 12; i > 0; --i) {
          text += units[random() % units.size()];
        }
        SCOPED_TRACE(std::string(name) + " " + normalise + ": " + text);
        const auto tokens = tokeniser->split(text);
        const auto spans = token_spans(*tokeniser, text, tokens);
        ASSERT_EQ(spans.size(), tokens.size());
        std::size_t begin = 0;
        std::size_t end = 0;
        std::string between;
        for (const ByteSpan& span : spans) {
          ASSERT_LE(span.begin, span.end);
          ASSERT_LE(span.end, text.size());
          ASSERT_GE(span.begin, begin);
          ASSERT_GE(span.end, end);
          between += span.begin > end ? text.substr(end, span.begin - end) : "";
          begin = span.begin;
          end = span.end;
        }
        between += text.substr(end);
        for (const char32_t code : code_points(between)) {
          EXPECT_TRUE(is_white_space(code) || code == U'▁') << between;
        }
        // Of the first tokens alone the spans are the same.
        const auto some = std::span(tokens).first(tokens.size() / 2);
        const auto half = token_spans(*tokeniser, text, some);
        for (std::size_t i = 0; i < half.size(); ++i) {
          EXPECT_EQ(half[i].begin, spans[i].begin);
        }
      }
    }
  }
}

}  // namespace
}  // namespace heed::token_spans_test
