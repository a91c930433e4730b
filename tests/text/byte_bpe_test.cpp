// The tokeniser byte_bpe against what transformers makes of hostile texts and tokens
// (tools/fixtures/imported.py byte_bpe.json).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json_reader.h"
#include "heed/text/subword/byte_letters.h"
#include "heed/text/subword/byte_pairs.h"
#include "heed/text/tokenisers.h"
#include "heed/text/word_pieces.h"

namespace heed::test::byte_bpe_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Tokens = std::vector<std::string>;

const std::string path = HEED_SOURCE_DIR "/tests/fixtures/byte_bpe.json";

Tokens texts_of(const JsonReader& list) {
  Tokens all;
  for (const JsonReader& one : list.items()) {
    all.push_back(one.text());
  }
  return all;
}

TEST(ByteBpe, SplitsAndJoinsAsTransformersDoes) {
  const Json json = parse_json(read_file(path), path);
  const JsonReader peer(json, path);
  std::string merges;
  for (const std::string& pair : texts_of(peer.at("merges"))) {
    merges += pair + "\n";
  }
  const auto tokeniser = tokeniser_of_merges(merges, false, "merges");
  int met = 0;
  for (const JsonReader& one : peer.at("split").items()) {
    EXPECT_EQ(tokeniser->split(one.at("text").text()), texts_of(one.at("tokens")))
        << one.at("text").value().write();
    EXPECT_EQ(tokeniser->join(texts_of(one.at("tokens"))), one.at("text").text());
    ++met;
  }
  for (const JsonReader& one : peer.at("joined").items()) {
    EXPECT_EQ(tokeniser->join(texts_of(one.at("tokens"))), one.at("text").text())
        << one.at("tokens").value().write();
    ++met;
  }
  EXPECT_GT(met, 140);
}

TEST(ByteBpe, MergesTheFirstPairOfTheListAndTheLeftmostOfEqualOnes) {
  const auto tokeniser = tokeniser_of_merges("b c\na b\na a\n", false, "merges");
  EXPECT_THAT(tokeniser->split("abc aaa"), ElementsAre("a", "bc", "Ġ", "aa", "a"));
  const auto blank_before = tokeniser_of_merges("Ġ a\n", true, "merges");
  EXPECT_THAT(blank_before->split("a a"), ElementsAre("Ġa", "Ġa"));
  EXPECT_EQ(blank_before->join(Tokens{"Ġa", "Ġa"}), "a a");
  EXPECT_EQ(blank_before->join(blank_before->split("  a ")), "  a ");
  EXPECT_THAT(blank_before->split(""), ElementsAre());
}

TEST(ByteBpe, WordsBeginWithABlankOrInAScriptWithoutAny) {
  const auto tokeniser = tokenisers().make("byte_bpe");
  const auto& words = dynamic_cast<const WordPieces&>(*tokeniser);
  EXPECT_TRUE(words.begins_word("Ġthe"));
  EXPECT_FALSE(words.begins_word("the"));
  EXPECT_FALSE(words.begins_word("Ã©"));  // é
  EXPECT_TRUE(words.begins_word("ä¸Ń"));  // 中
  EXPECT_TRUE(words.begins_word("ä¸"));   // its first two bytes
  EXPECT_FALSE(words.begins_word("¸"));
}

TEST(ByteBpe, EveryByteHasALetterOfItsOwn) {
  for (int byte = 0; byte < 256; ++byte) {
    const auto wanted = static_cast<std::uint8_t>(byte);
    EXPECT_EQ(bytes_of_letters(letter_of_byte(wanted)), std::string(1, static_cast<char>(byte)));
  }
  EXPECT_EQ(letter_of_byte(' '), "Ġ");
  EXPECT_EQ(letter_of_byte('\n'), "Ċ");
  EXPECT_EQ(letter_of_byte('A'), "A");
  EXPECT_FALSE(byte_of_letter(0x144).has_value());
  EXPECT_FALSE(byte_of_letter(' ').has_value());
  EXPECT_EQ(bytes_of_letters("a b"), "a b");
}

TEST(ByteBpe, RefusesMergesOfWhatIsNotThere) {
  const auto refusal = [](const std::string& merges) {
    try {
      tokeniser_of_merges(merges, false, "merges.txt");
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::file);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal("a b\nab c\n"), "accepted");
  EXPECT_THAT(refusal("ab c\n"),
              HasSubstr("\"ab\" is neither a byte nor what a merge before makes"));
  EXPECT_THAT(refusal("a b\na b\n"), HasSubstr("is there twice"));
  EXPECT_THAT(refusal("a b"), HasSubstr("merge 1"));
  EXPECT_THAT(refusal("a b\nab\n"), HasSubstr("merge 2, \"ab\", is no pair"));
  EXPECT_THAT(refusal("a b c\n"), HasSubstr("is no pair"));
  EXPECT_THAT(refusal(" b\n"), HasSubstr("\"\" is neither"));
}

/// A search of the whole word for each merge would not end within the limit of tests.
TEST(ByteBpe, AWordMayHaveAQuarterOfAMillionLetters) {
  const auto tokeniser = tokeniser_of_merges("a a\naa aa\naaaa aaaa\n", false, "merges");
  EXPECT_EQ(tokeniser->split(std::string(1 << 18, 'a')).size(), std::size_t{1} << 15);
}

}  // namespace
}  // namespace heed::test::byte_bpe_test
