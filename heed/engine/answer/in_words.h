// From tokens to words: a word is a token that begins a word and the tokens that continue it. The
// weights of words are
//
//   α_word(t, s) = mean over t's tokens i of Σ over s's tokens j of α_ij
#pragma once

#include <memory>
#include <span>

#include "heed/engine/answer/reply.h"
#include "heed/model/file/model_file.h"

namespace heed {

/// Links words without a matrix of all weights: it takes one row after the other, and keeps where
/// each word looked most.
class WordLinker {
 public:
  /// The tokens of both sides; their weights are not read. Both must outlive this.
  WordLinker(const Reply& tokens, const TrainedModel& trained);
  ~WordLinker();
  WordLinker(const WordLinker&) = delete;
  WordLinker& operator=(const WordLinker&) = delete;

  /// The weights of the next target token.
  void add(std::span<const float> row);
  /// Call it once, after the last row.
  WordLinks links();

 private:
  struct Words;
  std::unique_ptr<Words> words_;
  std::vector<double> sums_;  // of the present target word, for each source word
  size_t rows_ = 0;
  size_t word_ = 0;
  std::vector<std::pair<size_t, size_t>> pairs_;
};

/// What was seen with words instead of tokens as rows and columns; end tokens stay.
Seen in_words(const Reply& reply, const TrainedModel& trained);

/// What was seen with `links` instead of `weights`.
Seen with_links_only(const Reply& reply, const TrainedModel& trained);

/// The text with every unknown word replaced by the source word that it attended to most (Luong
/// 2015 §3.3); unchanged without weights.
std::string text_without_unknowns(const Reply& reply, const TrainedModel& trained);

}  // namespace heed
