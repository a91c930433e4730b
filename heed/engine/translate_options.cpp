#include "heed/engine/translate_options.h"

namespace heed {

void TranslateOptions::describe(Describer& d) {
  d.child("search", search);
  d.setting("prefix", prefix, {"what every translation begins with"});
  d.setting("constrain", phrases,
            {"what every translation must say, as often as needed; a beam of 5 unless given"});
  d.setting("replace_unknowns", replaces_unknowns,
            {"write the source word that an unknown word looked at"});
  d.setting("whole", is_whole, {"do not split lines into sentences"});
  d.setting("max_source", max_source,
            {.help = "tokens of a sentence; longer ones are cut; 0: none is",
             .least = 0,
             .most = 1'000'000});
  d.setting("batch", batch, {.help = "sentences searched together", .least = 1, .most = 100'000});
}

}  // namespace heed
