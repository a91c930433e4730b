#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include <bit>
#include <random>
#include <set>

#include "heed/base/error.h"
#include "heed/text/subword/learn.h"
#include "heed/text/subword/splitter.h"
#include "heed/text/utf8.h"

namespace heed::subword_test {
namespace {

using Tokens = std::vector<std::string>;

/// Writes Protocol Buffers, so that a test can say anything.
std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) {
    out += static_cast<char>((value & 0x7F) | 0x80);
  }
  return out + static_cast<char>(value);
}
std::string number(uint32_t field, uint64_t value) { return varint(field << 3) + varint(value); }
std::string bytes(uint32_t field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}
std::string real(uint32_t field, float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  std::string out = varint(field << 3 | 5);
  for (int shift = 0; shift < 32; shift += 8) {
    out += static_cast<char>(bits >> shift & 0xFF);
  }
  return out;
}
std::string piece(const std::string& text, float score, uint64_t kind = 1) {
  return bytes(1, bytes(1, text) + real(2, score) + number(3, kind));
}

constexpr uint64_t unigram = 1;
constexpr uint64_t bpe = 2;

std::string model_of(const std::string& pieces, uint64_t type) {
  return piece("<unk>", 0, 2) + pieces + bytes(2, number(3, type));
}

Tokens split(const std::string& model, const std::string& text) {
  return SubwordSplitter(read_piece_model(model, "test"), "test").split(text);
}

TEST(Subwords, UnigramTakesTheMostProbableSegmentation) {
  // ▁ab c: −1 −3 = −4; ▁a bc: −2 −1.5 = −3.5; ▁ a b c: −2.5 −9 −9 −3.
  const std::string pieces = piece("▁", -2.5F) + piece("a", -9) + piece("b", -9) + piece("c", -3) +
                             piece("▁a", -2) + piece("▁ab", -1) + piece("bc", -1.5F);
  EXPECT_EQ(split(model_of(pieces, unigram), "abc"), (Tokens{"▁a", "bc"}));
  EXPECT_EQ(split(model_of(pieces, unigram), "ab c"), (Tokens{"▁ab", "▁", "c"}));
  // Equal sums: the first that is found, the one whose last piece begins earliest, stays.
  const std::string even = piece("▁", -1) + piece("x", -1) + piece("y", -1) + piece("xy", -2);
  EXPECT_EQ(split(model_of(even, unigram), "xy"), (Tokens{"▁", "xy"}));
  // An unknown character costs 10 more than the least of the pieces, and unknown ones side by side are one.
  EXPECT_EQ(split(model_of(pieces, unigram), "abcde"), (Tokens{"▁a", "bc", "de"}));
}

TEST(Subwords, BpeMergesTheBestPairFirst) {
  const std::string letters = piece("▁", -90) + piece("l", -91) + piece("o", -92) + piece("w", -93);
  // "lo" goes before "ow", so "ow" never comes about.
  const std::string pieces = letters + piece("lo", -1) + piece("ow", -2) + piece("▁lo", -3);
  EXPECT_EQ(split(model_of(pieces, bpe), "low"), (Tokens{"▁lo", "w"}));
  EXPECT_EQ(split(model_of(pieces, bpe), "owl low"), (Tokens{"▁", "ow", "l", "▁lo", "w"}));
  // Of equal ones the leftmost.
  const std::string even = letters + piece("ll", -1) + piece("lll", -0.5F);
  EXPECT_EQ(split(model_of(even, bpe), "lllll"), (Tokens{"▁", "lll", "ll"}));
  // A piece with a blank within joins words.
  const std::string across = pieces + piece("w▁", -0.1F);
  EXPECT_EQ(split(model_of(across, bpe), "low low"), (Tokens{"▁lo", "w▁", "lo", "w"}));
}

TEST(Subwords, BlanksAreMarkedAndExtraOnesGo) {
  const std::string letters = piece("▁", -1) + piece("a", -1);
  EXPECT_EQ(split(model_of(letters, unigram), "  a   a "), (Tokens{"▁", "a", "▁", "a"}));
  EXPECT_EQ(split(model_of(letters, unigram), "   "), Tokens{});
  EXPECT_EQ(split(model_of(letters, unigram), ""), Tokens{});
  const std::string kept = model_of(letters, unigram) + bytes(3, number(3, 0) + number(4, 0));
  EXPECT_EQ(split(kept, " a"), (Tokens{"▁", "a"}));
  EXPECT_EQ(split(kept, "a  a"), (Tokens{"a", "▁", "▁", "a"}));
}

TEST(Subwords, WhatNoPieceCoversIsSpeltInBytes) {
  std::string pieces = piece("▁", -1) + piece("a", -2);
  for (int byte = 0; byte < 256; ++byte) {
    pieces += piece(fmt::format("<0x{:02X}>", byte), 0, 6);
  }
  const std::string model =
      piece("<unk>", 0, 2) + pieces + bytes(2, number(3, bpe) + number(35, 1));
  EXPECT_EQ(split(model, "aé"), (Tokens{"▁", "a", "<0xC3>", "<0xA9>"}));
}

TEST(Subwords, UserDefinedPiecesStayWhole) {
  const std::string pieces = piece("▁", -3) + piece("a", -4) + piece("b", -5) + piece("▁a", -1) +
                             piece("ab", -2) + piece("<x>", 0, 4) + piece("<x>b", 0, 4);
  for (const uint64_t kind : {unigram, bpe}) {
    const std::string model = model_of(pieces, kind);
    EXPECT_EQ(split(model, "<x>a<x>ba"), (Tokens{"▁", "<x>", "a", "<x>b", "a"})) << kind;
    EXPECT_EQ(split(model, "a <x> b"), (Tokens{"▁a", "▁", "<x>", "▁", "b"})) << kind;
  }
}

TEST(Subwords, NoTextHasAnUnusedPiece) {
  const std::string pieces = piece("▁", -3) + piece("a", -4) + piece("b", -5) + piece("c", -5) +
                             piece("ab", -1, 5) + piece("abc", -0.5F, 5) + piece("bc", -2);
  EXPECT_EQ(split(model_of(pieces, unigram), "abc ab"), (Tokens{"▁", "a", "bc", "▁", "a", "b"}));
  EXPECT_EQ(split(model_of(pieces, bpe), "abc ab"), (Tokens{"▁", "a", "b", "c", "▁", "a", "b"}));
  const SubwordSplitter own(read_piece_model(model_of(pieces, bpe), "test"), "test");
  EXPECT_TRUE(own.knows("bc"));
  EXPECT_FALSE(own.knows("ab"));
}

/// Small models with pieces of every kind and any scores.
TEST(Subwords, PiecesOfEveryKindAreTheLibrarys) {
  std::mt19937 random(7);
  const Tokens letters = {"a", "b", "c", "▁"};
  const auto some = [&](uint32_t most) {
    std::string text;
    for (uint32_t size = 1 + random() % most; size > 0; --size) {
      text += letters[random() % letters.size()];
    }
    return text;
  };
  int kept = 0;
  for (int i = 0; i < 400; ++i) {
    std::set<std::string> texts;
    std::string pieces;
    for (int n = 0; n < 14; ++n) {
      const std::string text = n < 3 ? letters[static_cast<size_t>(n)] : some(4);
      if (texts.insert(text).second) {
        const uint64_t kind = n < 3 || random() % 2 == 0 ? 1 : 4 + random() % 2;
        pieces += piece(text, -0.125F * static_cast<float>(1 + random() % 80), kind);
      }
    }
    const std::string model = model_of(pieces, i % 2 == 0 ? unigram : bpe);
    sentencepiece::SentencePieceProcessor library;
    ASSERT_TRUE(library.LoadFromSerializedProto(model).ok());
    const SubwordSplitter own(read_piece_model(model, "test"), "test");
    for (int n = 0; n < 20; ++n) {
      std::string line = some(16);
      for (size_t at = 0; (at = line.find("▁", at)) != std::string::npos;) {
        line.replace(at, std::string("▁").size(), " ");
      }
      Tokens theirs;
      ASSERT_TRUE(library.Encode(line, &theirs).ok());
      ASSERT_EQ(own.split(line), theirs) << i << ": \"" << line << '"';
      kept += static_cast<int>(theirs.size());
    }
  }
  EXPECT_GT(kept, 10000);
}

void expect_refused(const std::string& model, const std::string& says) {
  try {
    split(model, "some text");
    ADD_FAILURE() << "taken, though: " << says;
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }
}

TEST(Subwords, WhatNoLearnerWritesIsRefused) {
  const std::string fine = piece("a", -1);
  expect_refused(model_of(fine + fine, unigram), "twice");
  expect_refused(model_of(piece("a", std::nanf("")), unigram), "finite");
  expect_refused(model_of(piece("a", INFINITY), bpe), "finite");
  expect_refused(model_of(piece("", 0), bpe), "0 bytes");
  expect_refused(model_of(piece("\xC3", 0), bpe), "UTF-8");
  expect_refused(model_of(piece("other", 0, 7), bpe), "kind 7");
  expect_refused(model_of(piece("<unk2>", 0, 2), bpe), "2 unknown");
  expect_refused(fine + bytes(2, number(3, 1)), "0 unknown");
  expect_refused(model_of(fine, 3), "model type 3");
  expect_refused(model_of(piece("<0x41>", 0, 6), bpe), "byte 65");
  expect_refused(model_of(piece("<0x4>", 0, 6), bpe), "as <0x41>");
  expect_refused(model_of(fine, bpe) + bytes(2, number(24, 1)), "behind words");
  expect_refused(model_of(fine, bpe) + "\x0A\xFF\xFF\xFF\xFF\x0F", "bytes more");
  expect_refused(model_of(fine, bpe) + std::string(11, '\xFF'), "64 bits");
  expect_refused(model_of(fine, bpe) + "\x03", "tag 3");
  expect_refused(model_of(fine, bpe) + number(1, 5), "wire type");
  for (const char* map : {"\x01", "\x08\x00\x00\x00\x01\x02\x03\x04", "ab"}) {
    expect_refused(model_of(fine, bpe) + bytes(3, bytes(2, map)), "map of characters");
  }
}

/// Lines of many scripts, with blanks, marks and what normalisation changes; of each script the first
/// `letters`.
Tokens fuzzed_lines(std::size_t count, uint32_t seed, uint32_t letters) {
  constexpr std::array<std::pair<char32_t, char32_t>, 12> ranges = {{{'a', 'z'},
                                                                     {'a', 'z'},
                                                                     {' ', ' '},
                                                                     {'!', '~'},
                                                                     {0xA0, 0x2FF},
                                                                     {0x300, 0x36F},
                                                                     {0x370, 0x5FF},
                                                                     {0x2000, 0x2FFF},
                                                                     {0x3000, 0x30FF},
                                                                     {0x4E00, 0x4FFF},
                                                                     {0xAC00, 0xACFF},
                                                                     {0xFB00, 0xFFEF}}};
  std::mt19937 random(seed);
  Tokens lines(count);
  for (std::string& line : lines) {
    for (uint32_t left = random() % 60; left > 0; --left) {
      const auto& [first, last] = ranges[random() % ranges.size()];
      for (uint32_t run = random() % 5; run > 0; --run) {
        append_utf8(line, first + random() % std::min<uint32_t>(letters, last - first + 1));
      }
    }
  }
  return lines;
}

constexpr uint32_t few = 24;
constexpr uint32_t all = 1U << 16;

class SubwordsBesideTheLibrary
    : public ::testing::TestWithParam<std::tuple<const char*, const char*, bool>> {};

TEST_P(SubwordsBesideTheLibrary, AreItsTokens) {
  const auto [kind, normalise, has_bytes] = GetParam();
  Tokens texts = fuzzed_lines(400, 1, few);
  for (int i = 0; i < 200; ++i) {
    texts.push_back("the house likes a teacher and finds this library " + std::to_string(i * i));
  }
  const std::string model = learn_pieces(kind, texts,
                                         {.max_size = 1200,
                                          .byte_fallback = has_bytes,

                                          .normalise = normalise});
  sentencepiece::SentencePieceProcessor library;
  ASSERT_TRUE(library.LoadFromSerializedProto(model).ok());
  const SubwordSplitter own(read_piece_model(model, kind), kind);
  for (const uint32_t letters : {few, 2 * few, all}) {
    for (const std::string& line : fuzzed_lines(500, letters, letters)) {
      Tokens theirs;
      ASSERT_TRUE(library.Encode(line, &theirs).ok());
      ASSERT_EQ(own.split(line), theirs) << line;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, SubwordsBesideTheLibrary,
                         ::testing::Combine(::testing::Values("bpe", "unigram"),
                                            ::testing::Values("none", "nfkc", "nmt_nfkc"),
                                            ::testing::Bool()));

/// A damaged model is refused or cuts text, whatever was damaged (the sanitizers watch).
TEST(Subwords, NoModelCanHurt) {
  const Tokens texts = fuzzed_lines(300, 3, few);
  const std::string model = learn_pieces("unigram", texts, {.max_size = 1200, .normalise = "nfkc"});
  const Tokens lines = fuzzed_lines(20, 4, all);
  std::mt19937 random(5);
  int refused = 0;
  constexpr int tries = 600;
  for (int i = 0; i < tries; ++i) {
    std::string damaged = model;
    for (uint32_t changes = 1 + random() % 40; changes > 0; --changes) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    try {
      const SubwordSplitter own(read_piece_model(damaged, "test"), "test");
      for (const std::string& line : lines) {
        own.split(line);
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::file);
      ++refused;
    }
  }
  EXPECT_GT(refused, tries / 10);
  EXPECT_LT(refused, tries);
}

}  // namespace
}  // namespace heed::subword_test
