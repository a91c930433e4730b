#include "heed/engine/translate_options.h"

namespace heed {

void TranslateOptions::describe(Describer& d) {
  d.child("search", search);
  d.setting("prefix", prefix, {"the beginning of every translation"});
  d.setting("constrain", phrases,
            {"a phrase that every translation must contain; may be repeated; the beam is 5 unless "
             "given"});
  d.setting("replace_unknowns", replaces_unknowns,
            {"replace an unknown word by the source word it attended to most"});
  d.setting("whole", is_whole, {"do not split lines into sentences"});
  d.setting("max_source", max_source,
            {.help = "cut sentences with more tokens than this; 0: no limit",
             .least = 0,
             .most = 1'000'000});
  d.setting("batch", batch, {.help = "sentences searched together", .least = 1, .most = 100'000});
}

}  // namespace heed
