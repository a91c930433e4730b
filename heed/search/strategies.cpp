#include "heed/search/strategies.h"

namespace heed {

const Catalogue<Strategy>& strategies() {
  static const Catalogue<Strategy> all{
      "strategy",
      {
          {"beam",
           {},
           "the likeliest hypotheses at every step; a beam of 1 is greedy",
           HEED_MADE_BY(Strategy, beam_strategy)},
          {"sample",
           {},
           "y_i ~ p(y_i | y_<i)^(1/T), among the k likeliest words or the fewest that reach p",
           HEED_MADE_BY(Strategy, sample_strategy)},
          {"diverse",
           {},
           "groups choose in turn by log p − λ · number of earlier groups with the word "
           "(Vijayakumar 2016)",
           HEED_MADE_BY(Strategy, diverse_strategy)},
          {"constrained",
           {},
           "outputs contain given phrases; the beam is shared by how many of their words are "
           "present (Post & Vilar 2018)",
           HEED_MADE_BY(Strategy, constrained_strategy)},
      }};
  return all;
}

}  // namespace heed
