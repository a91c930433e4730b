#include "heed/import/families.h"

namespace heed {

const Catalogue<Family>& families() {
  static const Catalogue<Family> all{"family",
                                     {
                                         {"marian",
                                          {},
                                          "MarianMT folders of transformers, such as Opus-MT",
                                          HEED_MADE_BY(Family, marian_family)},
                                     }};
  return all;
}

}  // namespace heed
