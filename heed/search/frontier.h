// The device's half of a search: how each beam may continue.
//
// A search has F beams (sentences × beams of a sentence) of W hypotheses. Hypothesis w of beam f is
// row rows[f, w] of the decoders' states, or −1 where there is none. Its score s[f, w] is its
// log-probability minus that of its beam's best; these differences are small, so f32 is precise
// enough. With the log-probabilities of the rows' words (ops/choose_words.h)
//
//   total    = s + log p(v)               [F, W · V]
//   chosen   = the largest of a beam's totals, best first
//
// The k likeliest words of each row are found among the logits, and the best of a beam among those
// W · k. They are the best of all W · V unless more than k of them come from one row. The host reads ids, parents and log-probabilities of what was
// chosen: F · C numbers of each, in one download (`Chosen::packed`).
#pragma once

#include <span>
#include <vector>

#include "heed/ops/choose_words.h"
#include "heed/tensor/tensor.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// Continuations of every beam, [F, W · k]: word i of hypothesis w is number w · k + i.
struct Candidates {
  Tensor ids;              // i32
  Tensor log_probability;  // of the word
  Tensor total;            // plus the score of its hypothesis; −∞ where there is none
  int64_t words_per_row = 0;
};

/// The continuations that a strategy chose, [F, C], best first.
struct Chosen {
  Tensor ids;              // i32
  Tensor number;           // i32, among the candidates; undefined where a beam has one hypothesis
  Tensor log_probability;  // of the word
  Tensor total;
  int64_t words_per_row = 0;

  /// ids, numbers and log-probabilities as one float tensor [3, F, C], in which whole numbers below
  /// 2²⁴ are exact.
  Tensor packed() const;
};

/// The largest `count` of `merit` [F, W · k].
Chosen best_of(const Candidates& candidates, const Tensor& merit, int64_t count);
/// x with −∞ where the words are among `closed`.
Tensor without_words(const Tensor& x, const Tensor& ids, std::span<const TokenId> closed);
/// [V]: −∞ at the words `closed`, 0 at the others. Logits [N, V] plus this are those of the others.
Tensor closing(int64_t words, std::span<const TokenId> closed, const Place& place);

class Frontier {
 public:
  /// `last` are the words after which no hypothesis goes on: the end token and those of no output.
  Frontier(int64_t width, std::vector<TokenId> last, const Place& place);

  /// Sets the rows and scores [F, W] of all hypotheses. A row of −1 has the score −∞.
  void arrange(std::span<const int32_t> rows, std::span<const float> scores);
  /// Sets the scores only.
  void rescore(std::span<const float> scores);

  Candidates candidates(const RowWords& words) const;
  /// The words of beams with one hypothesis, which are already in order.
  Chosen in_order(const RowWords& words) const;
  /// x [Q, n] arranged by beam: [F, W, n]; zeros where there is no row.
  Tensor by_beam(const Tensor& x) const;
  int64_t beams() const { return scores_.size(0); }
  /// Whether hypothesis w of beam f is row f · W + w for all f and w.
  bool is_full() const { return is_full_; }

  /// What the next step feeds when the host has not read this one: the best `width` words that do
  /// not end a sentence.
  struct Continuing {
    Tensor ids;     // i32 [Q]
    Tensor parent;  // i32 [Q]: the row that each continues
  };
  Continuing go_on(const Chosen& chosen);

 private:
  int64_t width_;
  std::vector<TokenId> last_;
  Place place_;
  Tensor rows_;    // i32 [F · W]
  Tensor scores_;  // [F, W]
  bool is_full_ = false;
};

}  // namespace heed
