// Mask-predict (Ghazvininejad 2019), the search of parallel decoders:
//
//   lengths       the `length_beam` likeliest n of p(n | x); each is a separate attempt
//   round 0       every word is masked; each position gets its likeliest word y_i, with p_i
//   round t       the k_t = ⌊n (T − t) / T⌋ words with the lowest p_i are masked and filled again,
//                 t = 1 … T − 1; the others keep y_i and p_i
//   log p(Y|x)    log p(n | x) + Σ_i log p_i
//   score         (1/n) log p(Y|x);  the attempt with the highest score is the answer
//
// The paper's score leaves p(n | x) out; with it, a short target that is sure of its words does not win
// against the right length. If `length` is given, there is one attempt of that many words. A decoder that
// does not predict lengths has one attempt, whose positions are the decoder's canvas: n is the number of
// positions up to the first end token, which counts as a word, and what follows it is known to be the end.
// The attempts of every sentence are its hypotheses. A step is a round.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

/// k_t.
int64_t masked_in_round(int64_t words, int64_t round, int64_t rounds);
/// The indices of the `count` least likely words, ascending; of equal ones the first.
std::vector<size_t> least_sure(std::span<const double> log_probability, int64_t count);

}  // namespace heed
