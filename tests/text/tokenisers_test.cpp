#include "heed/text/tokenisers.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/support/worked_out.h"

namespace heed::tokenisers_test {
namespace {

using Tokens = std::vector<std::string>;

TEST(Words, SplitAtAnyWhiteSpaceAndJoinedByABlank) {
  const auto tokeniser = tokenisers().make("words");
  EXPECT_EQ(tokeniser->split("  the\t big\u00a0house\u3000。\r\n"),
            (Tokens{"the", "big", "house", "。"}));
  EXPECT_EQ(tokeniser->split(" \n"), Tokens{});
  EXPECT_EQ(tokeniser->join(Tokens{"the", "house"}), "the house");
  EXPECT_EQ(tokeniser->join(Tokens{}), "");
  EXPECT_TRUE(tokeniser->yields("a\u200bb"));
  EXPECT_FALSE(tokeniser->yields("a b"));
  EXPECT_FALSE(tokeniser->yields("a "));
  EXPECT_FALSE(tokeniser->yields(" "));
}

TEST(LowercaseWords, AreWordsInLowerCase) {
  const auto tokeniser = tokenisers().make("lowercase_words");
  EXPECT_EQ(tokeniser->split(" A Dog\tJUMPS . ÄÖ ΟΔΟΣ 图 "),
            (Tokens{"a", "dog", "jumps", ".", "äö", "οδος", "图"}));
  EXPECT_EQ(tokeniser->join(Tokens{"a", "dog"}), "a dog");
  EXPECT_TRUE(tokeniser->yields("dog"));
  EXPECT_TRUE(tokeniser->yields("οδος"));
  EXPECT_FALSE(tokeniser->yields("Dog"));
  EXPECT_FALSE(tokeniser->yields("a dog"));
}

TEST(Characters, OneTokenForEachCodePoint) {
  const auto tokeniser = tokenisers().make("characters");
  EXPECT_EQ(tokeniser->split("a 中\n"), (Tokens{"a", " ", "中", "\n"}));
  EXPECT_EQ(tokeniser->split("e\u0301"), (Tokens{"e", "\u0301"}));
  EXPECT_EQ(tokeniser->join(Tokens{"中", " ", "a"}), "中 a");
  EXPECT_TRUE(tokeniser->yields("中"));
  EXPECT_FALSE(tokeniser->yields("ab"));
}

TEST(Bytes, OneTokenForEachByteAndAllOfThem) {
  const auto tokeniser = tokenisers().make("bytes");
  EXPECT_EQ(tokeniser->split("é!"), (Tokens{"<0xC3>", "<0xA9>", "<0x21>"}));
  EXPECT_EQ(tokeniser->join(Tokens{"<0xC3>", "<0xA9>", "<0x21>"}), "é!");
  EXPECT_EQ(tokeniser->join(Tokens{"<0xC3>", "<0x21>"}), "\uFFFD!");  // a model may say anything
  EXPECT_EQ(tokeniser->join(Tokens{"<0x61>", "<unk>"}), "a<unk>");
  EXPECT_EQ(tokeniser->learn({}, {}).size(), 256U);
  for (const char* wrong : {"<0xc3>", "<0xC>", "<0xC3", "0xC3", "<0xG0>", "a", "<0x+1>"}) {
    EXPECT_FALSE(tokeniser->yields(wrong)) << wrong;
  }
}

const Tokens& corpus() {
  static const Tokens all = [] {
    const Tokens who = {"the house", "a teacher", "my neighbour", "this library", "the old man"};
    const Tokens what = {"likes", "finds", "sees", "remembers", "the lowest", "the widest"};
    const Tokens chinese = {"我", "他", "老师", "图书馆", "喜欢", "看见", "。"};
    Tokens texts;
    for (std::size_t i = 0; i < 400; ++i) {
      texts.push_back(who[i % 5] + " " + what[i / 3 % 6] + " " + who[i / 7 % 5] + " " +
                      std::to_string(i % 17));
      texts.push_back(chinese[i % 4] + chinese[4 + i / 2 % 2] + chinese[i / 5 % 4] + chinese[6]);
    }
    return texts;
  }();
  return all;
}

std::unique_ptr<Tokeniser> learnt(const char* kind, const VocabularyLimits& limits = {}) {
  auto tokeniser = tokenisers().make(kind);
  if (tokeniser->learns()) {
    tokeniser->learn(corpus(), limits);
  }
  return tokeniser;
}

TEST(Subwords, FrequentWordsAreWholeAndOthersArePieces) {
  const auto merged = learnt("bpe", {.max_size = 400});
  EXPECT_EQ(merged->split("the house"), (Tokens{"▁the", "▁house"}));
  EXPECT_EQ(merged->split("老师"), (Tokens{"▁老师"}));
  for (const char* kind : {"bpe", "unigram"}) {
    const auto tokeniser = learnt(kind, {.max_size = 400});
    EXPECT_LT(tokeniser->split("the house").size(), 8U) << kind;
    EXPECT_GT(tokeniser->split("thermal").size(), 1U) << kind;
    EXPECT_EQ(tokeniser->join(Tokens{"▁the", "▁house", "s"}), "the houses");
    EXPECT_EQ(tokeniser->surface("▁the"), " the");
  }
}

TEST(Subwords, WhatNoPieceCoversIsSpeltInBytes) {
  const auto with = learnt("bpe");
  EXPECT_EQ(with->split("龘"), (Tokens{"▁", "<0xE9>", "<0xBE>", "<0x98>"}));
  EXPECT_EQ(with->join(with->split("the 龘 house")), "the 龘 house");
  EXPECT_EQ(with->join(Tokens{"▁a", "<0xE9>", "▁b"}), "a\uFFFD b");
  const auto without = learnt("bpe", {.byte_fallback = false});
  EXPECT_EQ(without->split("龘"), (Tokens{"▁", "龘"}));
  EXPECT_FALSE(without->yields("龘"));
  EXPECT_FALSE(without->yields("<0xE9>"));
}

TEST(Subwords, NormaliseAsAsked) {
  const auto first = [](const char* normalise, std::string_view text) {
    const auto tokeniser = learnt("unigram", {.normalise = normalise});
    return tokeniser->join(tokeniser->split(text));
  };
  EXPECT_EQ(first("nfc", "e\u0301 ，Ａ"), "\u00e9 ，Ａ");
  EXPECT_EQ(first("none", "e\u0301 ，Ａ"), "e\u0301 ，Ａ");
  EXPECT_EQ(first("nfkc", "e\u0301 ，Ａ"), "\u00e9 ,A");
  EXPECT_EQ(first("nmt_nfkc", "e\u0301\u200b，Ａ"), "\u00e9 ,A");
  EXPECT_THROW(learnt("bpe", {.normalise = "nfd"}), Error);
}

TEST(Subwords, AreLearntTheSameEveryTimeAndSayNothing) {
  for (const char* kind : {"bpe", "unigram"}) {
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const std::string state = learnt(kind, {.max_size = 350})->state();
    EXPECT_EQ(learnt(kind, {.max_size = 350})->state(), state);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  }
}

TEST(Subwords, RefuseWhatCannotBeLearnt) {
  const auto fails_with = [](const Tokens& texts, const VocabularyLimits& limits) {
    try {
      tokenisers().make("bpe")->learn(texts, limits);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("learnt");
  };
  EXPECT_NE(fails_with(corpus(), {.max_size = 50}).find("cannot learn 50 tokens"),
            std::string::npos);
  EXPECT_NE(fails_with({}, {}).find("none of the 0 texts has a word to learn from; give some"),
            std::string::npos);
  EXPECT_NE(
      fails_with({"", " "}, {}).find("none of the 2 texts has a word to learn from; give some"),
      std::string::npos);
  EXPECT_NE(fails_with({"\xFF"}, {}).find("UTF-8"), std::string::npos);
  EXPECT_THROW(tokenisers().make("bpe")->split("text"), Error);
  EXPECT_THROW(words()->learn(corpus(), {}), Error);
}

TEST(Subwords, ADamagedModelNeverReachesTheLibrary) {
  const auto saved = learnt("bpe", {.max_size = 330});
  const std::string state = saved->state();
  const auto restored = tokenisers().make("bpe");
  restored->restore(state);
  EXPECT_EQ(restored->state(), state);
  EXPECT_EQ(restored->split("the lowest 龘"), saved->split("the lowest 龘"));
  const auto refuses = [](const char* kind, const std::string& bytes) {
    try {
      tokenisers().make(kind)->restore(bytes);
    } catch (const Error& error) {
      return error.fault() == Fault::file;
    }
    return false;
  };
  EXPECT_TRUE(refuses("unigram", state));
  EXPECT_TRUE(refuses("bpe", ""));
  EXPECT_TRUE(refuses("bpe", "\n"));
  for (std::size_t length = 0; length < state.size(); length += 7) {
    EXPECT_TRUE(refuses("bpe", state.substr(0, length))) << length;
  }
  for (std::size_t at = 0; at < state.size(); ++at) {
    std::string flipped = state;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    EXPECT_TRUE(refuses("bpe", flipped)) << at;
  }
}

TEST(Tokenisers, EveryOneIsWorkedOut) {
  test::expect_worked_out(tokenisers(),
                          {{"words", "Words.SplitAtAnyWhiteSpaceAndJoinedByABlank"},
                           {"lowercase_words", "LowercaseWords.AreWordsInLowerCase"},
                           {"characters", "Characters.OneTokenForEachCodePoint"},
                           {"bytes", "Bytes.OneTokenForEachByteAndAllOfThem"},
                           {"bpe", "Subwords.FrequentWordsAreWholeAndOthersArePieces"},
                           {"unigram", "Subwords.FrequentWordsAreWholeAndOthersArePieces"},
                           {"byte_bpe", "ByteBpe.SplitsAndJoinsAsTransformersDoes"}});
}

TEST(Tokenisers, EveryOneGivesItsTextBack) {
  for (const auto& entry : tokenisers()) {
    const auto tokeniser = learnt(entry.name.c_str());
    EXPECT_EQ(tokeniser->name(), entry.name);
    for (const std::string text : {"", "a", "the quick brown fox .", "我 喜欢 图书馆 。",
                                   "naïve 👩‍👩‍👧 \u202E"}) {
      const Tokens tokens = tokeniser->split(text);
      EXPECT_EQ(tokeniser->join(tokens), text) << entry.name;
      std::string surfaces;
      for (const std::string& token : tokens) {
        EXPECT_TRUE(tokeniser->yields(token)) << entry.name << ": " << token;
        surfaces += tokeniser->surface(token);
      }
      EXPECT_TRUE(surfaces == text || surfaces == " " + text) << entry.name << ": " << surfaces;
    }
    EXPECT_FALSE(tokeniser->yields("")) << entry.name;
    EXPECT_FALSE(tokeniser->yields("\xFF")) << entry.name;
    EXPECT_THROW(tokeniser->split("a\xFF"), Error) << entry.name;
    EXPECT_THROW(entry.make()->restore("not a state"), Error) << entry.name;
    EXPECT_NO_THROW(entry.make()->restore(tokeniser->state())) << entry.name;
  }
}

}  // namespace
}  // namespace heed::tokenisers_test
