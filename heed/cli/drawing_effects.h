// Options of drawing that would change nothing are refused.
#pragma once

#include <string>
#include <vector>

#include "heed/cli/options.h"

namespace heed {

class Drawing;
class Field;

class DrawingEffects {
 public:
  /// The options, which must outlive this, are those of a Drawing.
  void watch(Options& options);
  /// Fault::usage, in a message that begins with the verb, where an option is given that is for drawings over a picture and the
  /// drawing is a map, or the other way round.
  void check(const std::string& verb, const Field& source, const Drawing& drawing) const;

 private:
  std::vector<const Option*> over_pictures_;
  std::vector<const Option*> in_maps_;
};

}  // namespace heed
