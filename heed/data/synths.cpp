#include "heed/data/synths.h"

namespace heed {

const Catalogue<Synth>& synths() {
  static const Catalogue<Synth> all(
      "synth", {
                   {"reverse", {}, "qwert → trewq", reverse},
                   {"dates", {}, "March 3rd, 2021 → 2021-03-03", dates},
                   {"numbers", {}, "three hundred and forty-two → 342", numbers},
                   {"signals", {}, "noisy rows of eight numbers → abc", signals},
                   {"tones", {}, "dialled digits in noise → 4711", tones},
                   {"trends", {}, "3 7 7 2 → new up same down", trends},
                   {"marked", {}, "red green * blue red → blue", marked},
                   {"shapes", {}, "a drawing → a red circle left of a small blue square", shapes},
               });
  return all;
}

}  // namespace heed
