// Options of drawing that would change nothing are refused.
#pragma once

#include <string>
#include <vector>

#include "heed/cli/options.h"

namespace heed {

class Field;

class DrawingEffects {
 public:
  /// The options, which must outlive this, are those of a Drawing.
  void watch(Options& options);
  /// Fault::usage, in a message that begins with the verb, where an option is given that is for
  /// pictures and the source is none.
  void check(const std::string& verb, const Field& source) const;

 private:
  std::vector<const Option*> over_pictures_;
};

}  // namespace heed
