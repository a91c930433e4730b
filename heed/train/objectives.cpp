#include "heed/train/objectives.h"

namespace heed {

Catalogue<Objective>& objectives() {
  static Catalogue<Objective> all{
      "objective",
      {
          {"teacher_forcing",
           {"cross_entropy"},
           "(1/N) Σ_i −ln p(y_i | y_<i, x)",
           HEED_MADE_BY(Objective, teacher_forcing)},
          {"doubly_stochastic",
           {},
           "(1/N) Σ_j (1 − Σ_i α_ij)²",
           HEED_MADE_BY(Objective, doubly_stochastic)},
          {"diagonal",
           {},
           "mean_ij α_ij (1 − exp(−(i/T − j/S)² / (2 g²)))",
           HEED_MADE_BY(Objective, diagonal)},
          {"left_to_right",
           {},
           "(1/N) Σ_i max(0, e_{i−1} − e_i),  e_i = Σ_j α_ij j / S",
           HEED_MADE_BY(Objective, left_to_right)},
          {"alignment",
           {},
           "(1/N) Σ_i −Σ_j g_ij ln α_ij, g by given word alignments",
           HEED_MADE_BY(Objective, alignment)},
          {"lengths",
           {},
           "(1/N) Σ_b −ln p(n_b | x_b), for parallel decoders",
           HEED_MADE_BY(Objective, lengths)},
          {"reinforce",
           {},
           "−(1/N) Σ_i ((R_i − b) ln p(s_i) + λ H(s_i)), for normaliser hard (Xu 2015)",
           HEED_MADE_BY(Objective, reinforce)},
          {"marginal",
           {},
           "(1/N) Σ_i −ln Σ_j α_ij p(y_i | y_<i, slot j)",
           HEED_MADE_BY(Objective, marginal)},
          {"self_critical",
           {},
           "−(1/N) Σ_b mean_k (r(y_bk) − r_b) ln p(y_bk), y ~ p, r a metric (Rennie 2017)",
           HEED_MADE_BY(Objective, self_critical)},
          {"minimum_risk",
           {},
           "(1/N) Σ_b Σ_y Q(y) Δ(y), Q ∝ p^α over drawn outputs, Δ by a metric (Shen 2016)",
           HEED_MADE_BY(Objective, minimum_risk)},
          {"ctc",
           {},
           "−(1/N) Σ_b ln Σ_π p(π | x_b) over the paths of y_b, for framewise decoders (Graves "
           "2006)",
           HEED_MADE_BY(Objective, ctc)},
      }};
  return all;
}

}  // namespace heed
