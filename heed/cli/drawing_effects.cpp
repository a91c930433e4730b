#include "heed/cli/drawing_effects.h"

#include <fmt/core.h>

#include "heed/base/error.h"
#include "heed/cli/drawing.h"
#include "heed/data/field.h"

namespace heed {

void DrawingEffects::watch(Options& options) {
  for (const char* name : {"--color", "--background"}) {
    options.at(name).only_with({"--draw"});
  }
  for (const char* name : {"--opacity", "--map", "--upsample"}) {
    over_pictures_.push_back(&options.at(name));
  }
  for (const char* name : {"--values", "--darkest", "--transpose"}) {
    in_maps_.push_back(&options.at(name));
  }
}

void DrawingEffects::check(const std::string& verb, const Field& source,
                           const Drawing& drawing) const {
  const bool has_pixels = source.form().has_pixels();
  const bool is_map = !drawing.draws_found() || drawing.how().transposes;
  for (const Option* option : over_pictures_) {
    if (option->is_given() && (!has_pixels || !drawing.draws_found())) {
      fail(Fault::usage, "{}: {} is for drawings over a picture, and {}; leave it out", verb,
           option->given_as(),
           has_pixels
               ? "this draws maps"
               : fmt::format("this model reads {}", source.has_tokens() ? "text" : source.kind()));
    }
  }
  for (const Option* option : in_maps_) {
    const bool is_over = has_pixels ? drawing.draws_found() : source.is_sound() && !is_map;
    if (option->is_given() && is_over) {
      fail(Fault::usage, "{}: {} is for maps, and the weights are drawn {}; leave it out", verb,
           option->given_as(), has_pixels ? "over the picture" : "under the recording");
    }
  }
}

}  // namespace heed
