#include "heed/attention/focuses.h"

namespace heed {

Catalogue<Focus>& focuses() {
  static Catalogue<Focus> all{
      "focus",
      {
          {"everywhere", {"global"}, "0 ≤ j < n", HEED_MADE_BY(Focus, everywhere)},
          {"causal", {"masked"}, "j ≤ i", HEED_MADE_BY(Focus, causal)},
          {"strictly_causal", {}, "j < i", HEED_MADE_BY(Focus, strictly_causal)},
          {"window", {}, "i − left ≤ j ≤ i + right", HEED_MADE_BY(Focus, window)},
          {"local_m", {}, "i − D ≤ j ≤ i + D", HEED_MADE_BY(Focus, local_m)},
          {"local_p",
           {},
           "|j − p_i| ≤ D, α_j · exp(−(j − p_i)² / 2(D/2)²)",
           HEED_MADE_BY(Focus, local_p)},
          {"monotonic", {}, "j ≥ argmax α_{i−1}", HEED_MADE_BY(Focus, monotonic)},
          {"prior", {}, "e_ij + log-prior(i, j)", HEED_MADE_BY(Focus, prior)},
      }};
  return all;
}

}  // namespace heed
