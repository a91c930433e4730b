#include "heed/attention/focuses.h"

namespace heed {

Catalogue<Focus>& focuses() {
  static Catalogue<Focus> all{
      "focus",
      {
          {"everywhere", {"global"}, "0 ≤ j < n", everywhere},
          {"causal", {"masked"}, "j ≤ i", causal},
          {"strictly_causal", {}, "j < i", strictly_causal},
          {"window", {}, "i − left ≤ j ≤ i + right", window},
          {"local_m", {}, "i − D ≤ j ≤ i + D", local_m},
          {"local_p", {}, "|j − p_i| ≤ D, α_j · exp(−(j − p_i)² / 2(D/2)²)", local_p},
          {"monotonic", {}, "j ≥ argmax α_{i−1}", monotonic},
          {"prior", {}, "e_ij + log-prior(i, j)", prior},
      }};
  return all;
}

}  // namespace heed
