#include "heed/search/strategies.h"

namespace heed {

const Catalogue<Strategy>& strategies() {
  static const Catalogue<Strategy> all{
      "strategy",
      {
          {"beam", {"greedy"}, "the likeliest at every step; one wide it is greedy", beam_strategy},
          {"sample",
           {},
           "y_i ~ p(y_i | y_<i)^(1/T), of the k likeliest or of those that reach p together",
           sample_strategy},
          {"diverse",
           {},
           "groups in turn, log p − λ · how many earlier groups said the word (Vijayakumar 2016)",
           diverse_strategy},
          {"constrained",
           {},
           "must say given phrases: slots shared by how much of them is said (Post & Vilar 2018)",
           constrained_strategy},
      }};
  return all;
}

}  // namespace heed
