// Turns text into tokens and back.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/special_tokens.h"

namespace heed {

/// How many subwords a tokeniser learns, special tokens included, where no number is given.
inline constexpr std::size_t usual_subwords = 8000;

struct VocabularyLimits {
  std::size_t max_size = 0;        // special tokens included; 0: any number, of subwords the usual
  std::size_t min_count = 1;       // rarer tokens are unknown
  std::vector<Special> also = {};  // special tokens besides end, unknown and start
  // For subwords that are learnt:
  bool byte_fallback = true;  // text without a piece is spelt in bytes, so nothing is unknown
  double character_coverage = 0.9995;  // this share of the text's characters has pieces
  std::string normalise = "nfc";       // none, nfc, or SentencePiece's nfkc, nmt_nfkc
};

/// A tokeniser may carry state that it learnt (subword pieces); then it saves and restores it as
/// bytes.
class Tokeniser {
 public:
  virtual ~Tokeniser() = default;

  /// Its name in the catalogue.
  virtual std::string_view name() const = 0;

  /// Throws where `text` is not UTF-8.
  virtual std::vector<std::string> split(std::string_view text) const = 0;

  /// join(split(text)) is `text` again, up to what the tokeniser normalises.
  virtual std::string join(std::span<const std::string> tokens) const = 0;

  /// What a token adds to the text, including a blank before it: "▁the" adds " the", a byte token
  /// adds that byte. The surfaces of all tokens in a row are the text, except that a blank may come
  /// first.
  virtual std::string surface(std::string_view token) const { return std::string(token); }

  /// Whether split could ever give this token: a vocabulary with any other is corrupt.
  virtual bool yields(std::string_view token) const = 0;

  /// Whether the vocabulary comes from `learn` instead of from counting what `split` gives.
  virtual bool learns() const { return false; }

  /// Learns from texts how to split, and returns the tokens in the vocabulary's order.
  virtual std::vector<std::string> learn(std::span<const std::string> texts,
                                         const VocabularyLimits& limits);

  virtual std::string state() const { return {}; }

  /// Restores what `state` returned; throws an Error of kind `file` on anything else.
  virtual void restore(std::string_view state);
};

}  // namespace heed
