// How likely it is by connectionist temporal classification that a target begins with the words g
// (Graves 2008 §7.4; as a score beside attention's: Watanabe 2017, Hori 2017 algorithm 2):
//
//   n_t(g), b_t(g)   the probability of the paths of frames 1 … t that collapse to g, and end with its last
//                    word, or with a blank
//   Φ_t(g, c)        = b_{t−1}(g) + [c ≠ last word of g] n_{t−1}(g),    Φ_1(∅, c) = 1, Φ_1(g, c) = 0 else
//   n_t(g·c)         = (n_{t−1}(g·c) + Φ_t(g, c)) p(c | x_t)
//   b_t(g·c)         = (b_{t−1}(g·c) + n_{t−1}(g·c)) p(∅ | x_t)
//   ψ(g·c)           = Σ_t Φ_t(g, c) p(c | x_t),   ψ(∅) = 1              some path begins with g·c
//   ψ(g·end)         = n_T(g) + b_T(g) = p(g | x)                        the target is g
//
// ψ(g·c) / ψ(g) is the probability of the next word c, and all of them and the end's sum to 1. So the
// probability of a target is the product over its words and its end, as with other decoders.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heed/model/ctc/paths.h"

namespace heed {

class CtcPrefix {
 public:
  /// The empty prefix.
  explicit CtcPrefix(std::shared_ptr<const CtcFrames> frames);

  /// ln ψ(g·c) − ln ψ(g) for every word c, and for `end`. No number is below `least_step`: words that
  /// cannot follow, the blank among them, have it.
  std::vector<float> continuations(TokenId end) const;
  /// g becomes g·word.
  void extend(TokenId word);

  static constexpr float least_step = -1000;

 private:
  /// ln Φ_t for a word that is, or is not, the last one, [T].
  std::vector<double> entering(bool is_last_word) const;

  std::shared_ptr<const CtcFrames> frames_;
  std::vector<double> in_word_;   // ln n_t
  std::vector<double> in_blank_;  // ln b_t
  TokenId last_ = SpecialTokens::none;
  double log_psi_ = 0;
};

/// ln p(y_i | y_<i, x) of every word and of the end; their sum is ln p(y | x).
std::vector<double> ctc_word_log_probabilities(std::shared_ptr<const CtcFrames> frames,
                                               std::span<const TokenId> words, TokenId end);

}  // namespace heed
