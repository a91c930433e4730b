#include "heed/import/families.h"

namespace heed {

const Catalogue<Family>& families() {
  static const Catalogue<Family> all{"family",
                                     {
                                         {"marian",
                                          {},
                                          "MarianMT folders of transformers, such as Opus-MT",
                                          HEED_MADE_BY(Family, marian_family)},
                                         {"t5",
                                          {},
                                          "T5, Flan-T5, mT5 and UMT5 folders of transformers",
                                          HEED_MADE_BY(Family, t5_family)},
                                     }};
  return all;
}

}  // namespace heed
