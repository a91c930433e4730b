#include "heed/engine/translate_options.h"

namespace heed {

void TranslateOptions::describe(Describer& d) {
  d.child("search", search);
  d.setting("prefix", prefix,
            {reads_text ? "the beginning of every translation" : "the beginning of every caption"});
  d.setting(
      "constrain", phrases,
      {reads_text ? "a phrase that every translation must contain; may be repeated; the beam "
                    "is 5 unless given"
                  : "a phrase that every caption must contain; may be repeated; the beam is 5 "
                    "unless given"});
  if (reads_text) {
    d.setting("replace_unknowns", replaces_unknowns,
              {"replace an unknown word by the source word it attended to most"});
    d.setting("whole", is_whole, {"do not split lines into sentences"});
    d.setting("max_source", max_source,
              {.help = "cut sentences with more tokens than this; 0: no limit",
               .least = 0,
               .most = 1'000'000});
  }
  d.setting("batch", batch,
            {.help = reads_text ? "sentences searched together" : "pictures searched together",
             .least = 1,
             .most = 100'000});
}

}  // namespace heed
