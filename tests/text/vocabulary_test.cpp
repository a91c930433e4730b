#include "heed/text/vocabulary.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/text/token_counter.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

using Ids = std::vector<TokenId>;
using Texts = std::vector<std::string>;

TEST(Vocabulary, FrequentFirstTiesInCodePointOrder) {
  const Texts texts = {"b a c a", "é b z", "Z 中 😀 ｡"};
  const Vocabulary vocabulary = learn_vocabulary("words", texts);
  Texts tokens;
  for (TokenId id = 0; id < static_cast<TokenId>(vocabulary.size()); ++id) {
    tokens.push_back(vocabulary.token(id));
  }
  EXPECT_EQ(tokens, (Texts{"</s>", "<unk>", "<s>", "a", "b", "Z", "c", "z", "é", "中", "｡", "😀"}));
}

TEST(Vocabulary, LimitsOnSizeAndCount) {
  const Texts texts = {"a a a b b c"};
  EXPECT_EQ(learn_vocabulary("words", texts, {.max_size = 5}).size(), 5U);
  EXPECT_EQ(learn_vocabulary("words", texts, {.min_count = 2}).size(), 5U);
  EXPECT_EQ(learn_vocabulary("words", texts, {.min_count = 3}).token(3), "a");
  EXPECT_EQ(learn_vocabulary("words", texts, {.max_size = 100}).size(), 6U);
  EXPECT_THROW(learn_vocabulary("words", texts, {.max_size = 3}), Error);
}

TEST(Vocabulary, CountingLineByLineIsTheSame) {
  TokenCounter counter(characters());
  counter.add("ab");
  counter.add("b");
  EXPECT_EQ(counter.learn().to_bytes(), learn_vocabulary("characters", Texts{"abb"}).to_bytes());
}

TEST(Vocabulary, EncodesAndDecodes) {
  const Vocabulary vocabulary = learn_vocabulary("words", Texts{"the house the"});
  EXPECT_EQ(vocabulary.encode("the  big house"), (Ids{3, 1, 4}));
  EXPECT_EQ(vocabulary.encode("the", Append::end), (Ids{3, 0}));
  EXPECT_EQ(vocabulary.encode("", Append::end), (Ids{0}));
  EXPECT_EQ(vocabulary.decode(Ids{2, 3, 1, 4, 0}), "the <unk> house");
  EXPECT_EQ(vocabulary.decode(Ids{}), "");
  EXPECT_THROW(vocabulary.decode(Ids{5}), Error);
  EXPECT_THROW(vocabulary.decode(Ids{-1}), Error);
}

TEST(Vocabulary, TextCannotSpellASpecialToken) {
  const Vocabulary vocabulary = learn_vocabulary("words", Texts{"a </s> <s> <unk> </s>"});
  EXPECT_EQ(vocabulary.size(), 4U);
  EXPECT_EQ(vocabulary.encode("</s> a <s>"), (Ids{1, 3, 1}));
}

TEST(Vocabulary, BytesAreReadableLines) {
  EXPECT_EQ(learn_vocabulary("words", Texts{"the house the a\\b"}).to_bytes(),
            "heed vocabulary 1: words, 6 tokens, 0 bytes of state\n"
            "</s>\n<unk>\n<s>\nthe\na\\\\b\nhouse\n");
}

TEST(Vocabulary, EveryTokeniserSurvivesTheRoundTrip) {
  const Texts texts = {"the quick\\ brown fox\n", "我 喜欢 图书馆 \r\\n 。",
                       "naïve 👩‍👩‍👧 \x01\x7f"};
  for (const auto& entry : tokenisers()) {
    const Vocabulary saved = learn_vocabulary(entry.name, texts);
    const Vocabulary loaded = Vocabulary::from_bytes(saved.to_bytes());
    EXPECT_EQ(loaded.to_bytes(), saved.to_bytes());
    EXPECT_EQ(loaded.tokeniser().name(), entry.name);
    for (const std::string& text : texts) {
      EXPECT_EQ(loaded.encode(text), saved.encode(text));
      const auto tokens = saved.tokeniser().split(text);
      EXPECT_EQ(loaded.decode(loaded.encode(text)), saved.tokeniser().join(tokens));
    }
  }
}

std::string error_of(const std::string& bytes) {
  try {
    Vocabulary::from_bytes(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file) << error.what();
    return error.what();
  }
  return "accepted";
}

TEST(Vocabulary, CorruptBytesAreRefusedByLine) {
  const std::string specials = "</s>\n<unk>\n<s>\n";
  const auto file = [&](const std::string& header, const std::string& rest) {
    return "heed vocabulary 1: " + header + "\n" + specials + rest;
  };
  EXPECT_EQ(error_of(file("words, 4 tokens, 0 bytes of state", "a\n")), "accepted");
  const std::pair<std::string, const char*> cases[] = {
      {"", "line 1"},
      {"\n", "first line"},
      {"\x01\n", "␁"},
      {file("words, 04 tokens, 0 bytes of state", "a\n"), "first line"},
      {file("words, -4 tokens, 0 bytes of state", "a\n"), "first line"},
      {file("words, 99999999999999999999 tokens, 0 bytes of state", "a\n"), "first line"},
      {file("words, 4 tokens, 0 bytes of state ", "a\n"), "first line"},
      {file("wrods, 4 tokens, 0 bytes of state", "a\n"), "\"wrods\""},
      {file("words, 2 tokens, 0 bytes of state", ""), "at least 3"},
      {file("words, 4 tokens, 0 bytes of state", ""), "line 5"},
      {file("words, 4 tokens, 0 bytes of state", "a"), "line 5"},
      {file("words, 4000000000 tokens, 0 bytes of state", "a\n"), "line 6"},
      {file("words, 4 tokens, 0 bytes of state", "a\nb\n"), "2 bytes after"},
      {file("words, 4 tokens, 2 bytes of state", "a\n"), "0 bytes after"},
      {file("words, 4 tokens, 2 bytes of state", "a\nb\n"), "saw 2 bytes of state"},
      {file("words, 5 tokens, 0 bytes of state", "a\na\n"), "again as token 4"},
      {file("words, 4 tokens, 0 bytes of state", "\n"), "never yields"},
      {file("words, 4 tokens, 0 bytes of state", "a b\n"), "never yields"},
      {file("words, 4 tokens, 0 bytes of state", "<unk>\n"), "never yields"},
      {file("characters, 4 tokens, 0 bytes of state", "ab\n"), "never yields"},
      {file("words, 4 tokens, 0 bytes of state", "a\\b\n"), "line 5"},
      {file("words, 4 tokens, 0 bytes of state", "a\\\n"), "line 5"},
      {file("words, 4 tokens, 0 bytes of state", "a\r\n"), "line 5"},
      {file("words, 4 tokens, 0 bytes of state", "\xFF\n"), "line 5: saw byte 0xFF"},
      {"heed vocabulary 1: words, 3 tokens, 0 bytes of state\n<unk>\n</s>\n<s>\n", "line 2"},
  };
  for (const auto& [bytes, part] : cases) {
    EXPECT_NE(error_of(bytes).find(part), std::string::npos) << part << ": " << error_of(bytes);
  }
}

TEST(Vocabulary, EveryCutAndEveryFlippedByteIsRefusedOrSavedAsRead) {
  const std::string whole = learn_vocabulary("words", Texts{"the house\\ 中 the"}).to_bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(error_of(whole.substr(0, length)), "accepted") << length;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      if (error_of(flipped) == "accepted") {
        EXPECT_EQ(Vocabulary::from_bytes(flipped).to_bytes(), flipped);
      }
    }
  }
}

}  // namespace
}  // namespace heed
