#include "heed/data/synths.h"

namespace heed {

const Catalogue<Synth>& synths() {
  static const Catalogue<Synth> all(
      "synth",
      {
          {"reverse", {}, "qwert → trewq", HEED_MADE_BY(Synth, reverse)},
          {"dates", {}, "March 3rd, 2021 → 2021-03-03", HEED_MADE_BY(Synth, dates)},
          {"numbers", {}, "three hundred and forty-two → 342", HEED_MADE_BY(Synth, numbers)},
          {"signals", {}, "noisy rows of eight numbers → abc", HEED_MADE_BY(Synth, signals)},
          {"tones", {}, "dialled digits in noise → 4711", HEED_MADE_BY(Synth, tones)},
          {"trends", {}, "3 7 7 2 → new up same down", HEED_MADE_BY(Synth, trends)},
          {"marked", {}, "red green * blue red → blue", HEED_MADE_BY(Synth, marked)},
          {"shapes",
           {},
           "a drawing → a red circle left of a small blue square",
           HEED_MADE_BY(Synth, shapes)},
      });
  return all;
}

}  // namespace heed
