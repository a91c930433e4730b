// The device's half of a search: what each beam may say next.
//
// A search has F beams (sentences × beams of a sentence) of W hypotheses. Hypothesis w of beam f is row
// rows[f, w] of the decoders' states, or −1 where there is none, and has the score s[f, w], its
// log-probability less that of its beam's best: differences are small, so f32 keeps them well. With
// logits x [Q, V] of the rows
//
//   log p(v) = (x_v − x_b) − loss_b       b the row's best word, loss_b = −ln p_b (one number a row)
//   total    = s + log p(v)               [F, W · V]
//   chosen   = the largest of a beam's totals, best first
//
// Nothing of the logits' size is written again: the k likeliest words of each row are found among the
// logits, and the best of a beam among those W · k, which is the top of W · V whenever no more than k
// of it come from one row. The host reads ids, parents and log-probabilities of what was chosen: F · C
// numbers of each, in one download (`Chosen::packed`).
#pragma once

#include <span>
#include <vector>

#include "heed/tensor/tensor.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// Words that may follow each row, [Q, k], likeliest first.
struct RowWords {
  Tensor ids;              // i32
  Tensor log_probability;  // of the word
  Tensor most;             // [Q, 1]: the row's largest logit, x_b
  Tensor loss;             // [Q, 1]: loss_b
};

/// Continuations of every beam, [F, W · k]: word i of hypothesis w is number w · k + i.
struct Candidates {
  Tensor ids;              // i32
  Tensor log_probability;  // of the word
  Tensor total;            // with the score of its hypothesis; −∞ where there is none
  int64_t words_per_row = 0;
};

/// What a strategy prefers, [F, C], best first.
struct Chosen {
  Tensor ids;              // i32
  Tensor number;           // i32, among the candidates; undefined: all of the beam's one hypothesis
  Tensor log_probability;  // of the word
  Tensor total;
  int64_t words_per_row = 0;

  /// ids, numbers and log-probabilities as one tensor [3, F, C] in floats: whole numbers below 2²⁴ are
  /// exact.
  Tensor packed() const;
};

/// The k likeliest words of each row. Where `forced` (i32 [Q]) names a word that word alone may follow;
/// −1 names none; undefined: no row is forced.
RowWords likeliest_words(const Tensor& logits, int64_t k, const Tensor& forced);
/// The largest `count` of `merit` [F, W · k].
Chosen best_of(const Candidates& candidates, const Tensor& merit, int64_t count);
/// x with −∞ where the words are among `closed`.
Tensor without_words(const Tensor& x, const Tensor& ids, std::span<const TokenId> closed);

class Frontier {
 public:
  Frontier(int64_t width, const SpecialTokens& specials, const Place& place);

  /// The host says where hypotheses are: rows and scores [F, W]. A row of −1 has the score −∞.
  void arrange(std::span<const int32_t> rows, std::span<const float> scores);
  /// Only their scores are new.
  void rescore(std::span<const float> scores);

  Candidates candidates(const RowWords& words) const;
  /// The words of beams of one hypothesis, which are in order already.
  Chosen in_order(const RowWords& words) const;
  /// x [Q, n] by beams: [F, W, n]; zeros where there is no row.
  Tensor by_beam(const Tensor& x) const;
  int64_t beams() const { return scores_.size(0); }
  /// True where hypothesis w of beam f is row f · W + w.
  bool is_full() const { return is_full_; }

  /// The next step without the host: the best `width` words that do not end a sentence.
  struct Continuing {
    Tensor ids;     // i32 [Q]
    Tensor parent;  // i32 [Q]: the row each goes on from
  };
  Continuing go_on(const Chosen& chosen);

 private:
  int64_t width_;
  std::vector<TokenId> last_;  // after these words nothing follows: the end and what is never said
  Place place_;
  Tensor rows_;    // i32 [F · W]
  Tensor scores_;  // [F, W]
  bool is_full_ = false;
};

}  // namespace heed
