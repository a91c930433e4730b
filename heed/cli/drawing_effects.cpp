#include "heed/cli/drawing_effects.h"

#include "heed/base/error.h"
#include "heed/data/field.h"

namespace heed {

void DrawingEffects::watch(Options& options) {
  for (const char* name : {"--color", "--background"}) {
    options.at(name).only_with({"--draw"});
  }
  for (const char* name : {"--opacity", "--map", "--upsample"}) {
    over_pictures_.push_back(&options.at(name));
  }
}

void DrawingEffects::check(const std::string& verb, const Field& source) const {
  for (const Option* option : over_pictures_) {
    if (option->is_given() && !source.form().has_pixels()) {
      fail(Fault::usage,
           "{}: {} is for drawings over a picture, and this model reads {}; leave it out", verb,
           option->given_as(), source.has_tokens() ? "text" : source.kind());
    }
  }
}

}  // namespace heed
