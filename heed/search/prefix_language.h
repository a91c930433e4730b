// A language model in the search of prefixes (ctc_search.h), as shallow fusion (Gulcehre 2015): a prefix
// g = w_1 … w_n gets
//
//   β Σ_i ln p(w_i | w_<i),   and if the target ends there also β ln p(end | g)
//
// The model is asked once for every prefix that stays in the beam, and its states of others are dropped.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "heed/model/model.h"

namespace heed {

class PrefixLanguage {
 public:
  /// Fault::usage if the model reads a source. Node 0 is the empty prefix.
  PrefixLanguage(const Model& model, double weight);

  /// Whether the node was named before.
  bool has(size_t node) const { return totals_.contains(node); }
  /// Names a node, which adds a word to one that is kept.
  void add(size_t node, size_t parent, TokenId word);
  /// β Σ_i ln p(w_i | w_<i) of a node that was named.
  double of(size_t node) const { return totals_.at(node); }
  /// The nodes that may be extended from here on; the others are forgotten.
  void keep(std::span<const size_t> nodes);
  /// Of a whole target, its end included.
  double of_target(std::span<const TokenId> words) const;

 private:
  struct Asked {
    State state;
    std::vector<float> log_p;  // of every word that may follow
  };
  /// The predictions after one more word.
  Asked asked(State state, TokenId word) const;
  State empty() const;

  struct Named {
    size_t parent;
    TokenId word;
  };
  const Autoregressive* decoder_;
  Place place_;
  double weight_;
  std::shared_ptr<const Remembered> memory_;
  std::map<size_t, double> totals_;
  std::map<size_t, Named> named_;  // since the last `keep`
  std::map<size_t, Asked> kept_;
};

}  // namespace heed
