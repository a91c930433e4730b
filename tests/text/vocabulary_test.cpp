#include "heed/text/vocabulary.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/text/token_counter.h"
#include "heed/text/tokenisers.h"

namespace heed::vocabulary_test {
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
  EXPECT_EQ(vocabulary.encode(""), Ids{});
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
            "heed vocabulary 2: words, 6 tokens, 0 bytes of state, end 0, unknown 1, start 2\n"
            "</s>\n<unk>\n<s>\nthe\na\\\\b\nhouse\n");
}

TEST(Vocabulary, Version1IsReadAndWrittenAsVersion2) {
  const std::string old = read_file(HEED_SOURCE_DIR "/tests/fixtures/vocabulary_1.txt");
  ASSERT_TRUE(old.starts_with("heed vocabulary 1: "));
  const Vocabulary loaded = Vocabulary::from_bytes(old);
  EXPECT_EQ(loaded.specials(), SpecialTokens());
  EXPECT_EQ(loaded.encode("the big house"), (Ids{3, 1, 5}));
  EXPECT_EQ(loaded.to_bytes(), learn_vocabulary("words", Texts{"the house the a\\b"}).to_bytes());
}

TEST(Vocabulary, HasTheSpecialTokensThatAreAskedFor) {
  const Texts texts = {"<mask> the <blank> the"};
  const Vocabulary plain = learn_vocabulary("words", texts);
  EXPECT_EQ(plain.encode("<mask> <blank>"), (Ids{5, 4}));  // words like others
  const Vocabulary masked =
      learn_vocabulary("words", texts, {.also = {Special::padding, Special::mask}});
  EXPECT_EQ(masked.specials().at(Special::mask), 3);
  EXPECT_EQ(masked.specials().at(Special::padding), 4);
  EXPECT_EQ(masked.specials().at(Special::blank), SpecialTokens::none);
  EXPECT_EQ(masked.specials().suppressed(), (Ids{2, 3, 4}));
  EXPECT_EQ(masked.token(3), "<mask>");
  EXPECT_EQ(masked.encode("<mask> the <blank>"), (Ids{1, 5, 6}));
  EXPECT_EQ(masked.decode(Ids{2, 3, 5, 4, 1, 0}), "the <unk>");
  EXPECT_TRUE(masked.to_bytes().starts_with(
      "heed vocabulary 2: words, 7 tokens, 0 bytes of state, end 0, unknown 1, start 2, mask 3, "
      "padding 4\n"));
  EXPECT_EQ(Vocabulary::from_bytes(masked.to_bytes()).specials(), masked.specials());
  EXPECT_EQ(learn_vocabulary("words", texts, {.max_size = 5, .also = {Special::mask}}).size(), 5U);
  EXPECT_THROW(learn_vocabulary("words", texts, {.max_size = 4, .also = {Special::mask}}), Error);
}

TEST(Vocabulary, SubwordsLeaveRoomForSpecialTokens) {
  Texts texts;
  for (int i = 0; i < 50; ++i) {
    texts.push_back("the quick brown fox " + std::to_string(i * 7919));
  }
  const std::size_t size =
      learn_vocabulary("bpe", texts, {.max_size = 300, .byte_fallback = true}).size();
  EXPECT_EQ(learn_vocabulary("bpe", texts, {.max_size = 300, .also = {Special::mask}}).size(),
            size);
}

TEST(Vocabulary, SpecialTokensAreWhereItSaysAndSpeltAsItSays) {
  const Vocabulary own = Vocabulary::from_bytes(
      "heed vocabulary 2: words, 5 tokens, 0 bytes of state, end 4, unknown 2, start 0\n"
      "[CLS]\nthe\n[UNK]\n</s>\n[SEP]\n");
  EXPECT_EQ(own.encode("the [SEP] </s> new"), (Ids{1, 2, 3, 2}));
  EXPECT_EQ(own.decode(Ids{0, 1, 2, 3, 4}), "the [UNK] </s>");
}

/// Both sides of a model with one table: each has its tokeniser, and the ids are the table's.
TEST(Vocabulary, ATableMayHoldWhatItsTokeniserNeverYields) {
  const Texts table = {"</s>", "<unk>", "the", "two words", ">>fra<<", "a\\", "*", ">>fr", "<pad>"};
  SpecialTokens specials;
  specials.set(Special::start, 8);
  const Vocabulary made = Vocabulary::of_table(words(), table, specials,
                                               {{4, TokenUse::in_front}, {7, TokenUse::in_front}});
  const std::string bytes =
      "heed vocabulary 3: words, 9 tokens, 0 bytes of state, end 0, unknown 1, start 8\n"
      "</s>\n<unk>\nthe\ntwo words\n\\*>>fra<<\na\\\\\n*\n\\*>>fr\n<pad>\n";
  EXPECT_EQ(made.to_bytes(), bytes);
  const Vocabulary read = Vocabulary::from_bytes(bytes);
  EXPECT_EQ(read.to_bytes(), bytes);
  EXPECT_EQ(read.encode("the * new a\\ <pad>"), (Ids{2, 6, 1, 5, 1}));
  EXPECT_EQ(read.decode(Ids{8, 3, 2, 4, 0}), "two words the >>fra<<");
  // Names count in front only, the longest of those that fit first, with blanks behind or not.
  EXPECT_EQ(read.encode(">>fra<< the >>fra<<"), (Ids{4, 2, 1}));
  EXPECT_EQ(read.encode(">>fra<<the"), (Ids{4, 2}));
  EXPECT_EQ(read.encode(">>fra<<>>fr  the"), (Ids{4, 7, 2}));
  EXPECT_EQ(read.encode(">>fra<<"), Ids{4});
  EXPECT_EQ(read.encode("the >>fra<<"), (Ids{2, 1}));
  EXPECT_EQ(read.encode(" >>fra<<"), Ids{1});
  EXPECT_EQ(read.split(">>fra<< the house"), (Texts{">>fra<<", "the", "house"}));
  EXPECT_EQ(read.names_before(">>fra<<  the").end, 9U);
  EXPECT_EQ(read.names_before("the").end, 0U);
}

/// Names behind the pieces, such as T5's <extra_id_7>, and ids that no text has.
TEST(Vocabulary, ATextHasSomeTokensWhereverItHasTheirNamesAndOthersNowhere) {
  const Texts table = {"<pad>", "</s>", "<unk>", "the", "<x>", "<x>>", "é", "", "<spare>"};
  SpecialTokens specials;
  specials.set(Special::start, 0);
  specials.set(Special::end, 1);
  specials.set(Special::unknown, 2);
  Texts spelt = table;
  spelt[7] = "a";
  const Vocabulary made = Vocabulary::of_table(words(), spelt, specials,
                                               {{4, TokenUse::anywhere},
                                                {5, TokenUse::anywhere},
                                                {6, TokenUse::anywhere},
                                                {7, TokenUse::in_front},
                                                {8, TokenUse::never}});
  const std::string bytes =
      "heed vocabulary 4: words, 9 tokens, 0 bytes of state, end 1, unknown 2, start 0\n"
      "<pad>\n</s>\n<unk>\nthe\n\\+<x>\n\\+<x>>\n\\+é\n\\*a\n\\-<spare>\n";
  EXPECT_EQ(made.to_bytes(), bytes);
  const Vocabulary read = Vocabulary::from_bytes(bytes);
  EXPECT_EQ(read.to_bytes(), bytes);
  EXPECT_EQ(read.encode("the<x>the <x> new"), (Ids{3, 4, 3, 4, 2}));
  EXPECT_EQ(read.encode("<x>><x<x>"), (Ids{5, 2, 4}));  // the longest name first
  EXPECT_EQ(read.encode("a<x>theé"), (Ids{7, 4, 3, 6}));
  EXPECT_EQ(read.encode("<spare> </s>"), (Ids{2, 2}));
  EXPECT_EQ(read.encode(""), Ids{});
  EXPECT_EQ(read.split("the <x>"), (Texts{"the", "<x>"}));
  EXPECT_EQ(read.decode(Ids{0, 4, 3, 8, 2, 1}), "<x> the <unk>");
  EXPECT_THROW(read.encode("\xC3<x>"), Error);
}

TEST(Vocabulary, ATableHasEachTokenOnceAndNoneTwiceSpecial) {
  const auto table = [](Texts tokens, TokenId start) {
    SpecialTokens specials;
    specials.set(Special::start, start);
    return Vocabulary::of_table(words(), std::move(tokens), specials).size();
  };
  EXPECT_EQ(table({"</s>", "<unk>", "a", "<pad>"}, 3), 4U);
  EXPECT_THROW(table({"</s>", "<unk>", "a", "a", "<pad>"}, 4), Error);
  EXPECT_THROW(table({"</s>", "<unk>", "", "<pad>"}, 3), Error);
  EXPECT_THROW(table({"</s>", "<unk>", "a", "<pad>"}, 4), Error);
  EXPECT_THROW(table({"</s>", "<unk>", "a", "<pad>"}, 0), Error);
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
  const std::string named = ", end 0, unknown 1, start 2";
  const auto file = [&](const std::string& header, const std::string& rest) {
    return "heed vocabulary 2: " + header + named + "\n" + specials + rest;
  };
  const auto naming = [&](const std::string& names) {
    return "heed vocabulary 2: words, 4 tokens, 0 bytes of state" + names + "\n" + specials + "a\n";
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
      {file("words, 4 tokens, 2 bytes of state", "a\nb\n"),
       "it has 2 bytes of state, not none; the vocabulary is corrupt"},
      {file("words, 5 tokens, 0 bytes of state", "a\na\n"), "again as token 4"},
      {file("words, 4 tokens, 0 bytes of state", "\n"), "never yields"},
      {file("words, 4 tokens, 0 bytes of state", "a b\n"), "never yields"},
      {file("words, 4 tokens, 0 bytes of state", "<unk>\n"), "never yields"},
      {file("characters, 4 tokens, 0 bytes of state", "ab\n"), "never yields"},
      {file("words, 4 tokens, 0 bytes of state", "a\\b\n"), "line 5"},
      {file("words, 4 tokens, 0 bytes of state", "a\\\n"), "line 5"},
      {file("words, 4 tokens, 0 bytes of state", "a\r\n"), "line 5"},
      {file("words, 4 tokens, 0 bytes of state", "\xFF\n"), "line 5: byte 0xFF"},
      {"heed vocabulary 1: words, 3 tokens, 0 bytes of state\n<unk>\n</s>\n<s>\n", "line 2"},
      {"heed vocabulary 5: words, 3 tokens, 0 bytes of state\n</s>\n<unk>\n<s>\n", "first line"},
      {"heed vocabulary 4: words, 4 tokens, 0 bytes of state" + named + "\n" + specials + "\\*a\n",
       "has a mark \\+ or \\- on some line, and this has none"},
      {"heed vocabulary 3: words, 4 tokens, 0 bytes of state" + named + "\n" + specials + "\\+a\n",
       "line 5"},
      {"heed vocabulary 4: words, 5 tokens, 0 bytes of state" + named + "\n" + specials +
           "\\+a\n\\-a\n",
       "again as token 4"},
      {naming(""), "token end is none"},
      {naming(", end 0, unknown 1"), "token start is none"},
      {naming(", end 0, unknown 1, start 4"), "token start is 4"},
      {naming(", end 0, unknown 1, start 2, mask 9"), "token mask is 9"},
      {naming(", end 0, unknown 1, start 1"), "two special ones"},
      {naming(", end 0, unknown 1, start -1"), "first line"},
      {naming(", end 0, start 2, unknown 1"), "first line"},
      {naming(", end 0, unknown 1, start 2, comma 3"), "first line"},
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
}  // namespace heed::vocabulary_test
