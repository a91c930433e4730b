#include "heed/engine/answer/implied_search.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

void imply_search(AnswerOptions& options, const GivenByName& given, const std::string& who) {
  SearchOptions& s = options.search;
  const bool is_constrained = !options.phrases.empty();
  if (int{given.sample} + int{given.diverse} + int{is_constrained} > 1) {
    fail(Fault::usage, "{}: `sample`, `diverse` and `constrain` exclude each other; give one", who);
  }
  if (given.sample && given.beam) {
    fail(Fault::usage, "{}: `beam` has no effect with `sample`; `n_best` says how many are drawn",
         who);
  }
  if (given.sample || given.diverse || is_constrained) {
    s.strategy = given.sample ? "sample" : given.diverse ? "diverse" : "constrained";
    s.beam = s.strategies.at(s.strategy).fitting_beam(s.beam, given.beam);
  }
  s.beam = std::max(s.beam, s.n_best);
}

}  // namespace heed
