#include "heed/train/objectives.h"

namespace heed {

Catalogue<Objective>& objectives() {
  static Catalogue<Objective> all{
      "objective",
      {
          {"teacher_forcing", {"cross_entropy"}, "(1/N) Σ_i −ln p(y_i | y_<i, x)", teacher_forcing},
          {"doubly_stochastic", {}, "(1/N) Σ_j (1 − Σ_i α_ij)²", doubly_stochastic},
      }};
  return all;
}

}  // namespace heed
