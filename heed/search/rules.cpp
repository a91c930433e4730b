#include "heed/search/rules.h"

namespace heed {

const Catalogue<Rule>& rules() {
  static const Catalogue<Rule> all{
      "rule",
      {
          {"min_length",
           {},
           "y_i ≠ end for i < n: no output is shorter",
           HEED_MADE_BY(Rule, min_length_rule)},
          {"no_repeat_ngram",
           {},
           "(y_i, …, y_i+n−1) ≠ (y_j, …, y_j+n−1) for i ≠ j: no n-gram twice (Paulus 2018)",
           HEED_MADE_BY(Rule, no_repeat_ngram_rule)},
          {"closed", {}, "y_i ∉ C: no output has these tokens", HEED_MADE_BY(Rule, closed_rule)},
          {"closed_first",
           {},
           "y_1 ∉ C: no output begins with these tokens",
           HEED_MADE_BY(Rule, closed_first_rule)},
      }};
  return all;
}

}  // namespace heed
