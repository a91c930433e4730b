#include "heed/import/families.h"

namespace heed {

const Catalogue<Family>& families() {
  static const Catalogue<Family> all{
      "family",
      {
          {"marian",
           {},
           "MarianMT folders of transformers, such as Opus-MT",
           HEED_MADE_BY(Family, marian_family)},
          {"whisper",
           {},
           "Whisper folders of transformers, which write down speech",
           HEED_MADE_BY(Family, whisper_family)},
      }};
  return all;
}

}  // namespace heed
