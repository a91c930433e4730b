// Several decoders over one vocabulary that speak as one; one decoder is an ensemble of one.
//
//   probability       log p(y) = log (1/M) Σ_m p_m(y)
//   log_probability   log p(y) = (1/M) Σ_m log p_m(y) − log Z,   Z so that Σ_y p(y) = 1
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/search/search.h"

namespace heed {

class Ensemble {
 public:
  struct Look {
    std::string mean;
    bool weights = false;
    int64_t block = -1;
    int64_t head = -1;
  };
  /// One hypothesis for each entry of `memory_of`, in every decoder.
  Ensemble(std::span<const Voice> voices, std::span<const int32_t> memory_of, const Place& place,
           const Look& look);

  struct Said {
    Tensor scores;               // [Q, V]: one decoder's logits, or log-probabilities of several
    std::vector<float> weights;  // [Q, slots] where asked for and where a decoder looks: the mean
    int64_t slots = 0;
  };
  /// Feeds one word to every hypothesis.
  Said step(const std::vector<int32_t>& words);
  /// Hypothesis q goes on from parent[q].
  void reorder(std::span<const int32_t> parent);

  /// The source slots of a hypothesis.
  int32_t slots_of(int32_t row) const;

 private:
  struct Member {
    const Decoder* decoder;
    State state;
  };

  std::vector<Member> members_;
  std::vector<int32_t> memory_of_;  // the sentence of each hypothesis
  Place place_;
  Look look_;
  Tensor (*mean_)(const std::vector<Tensor>& logits);
};

}  // namespace heed
