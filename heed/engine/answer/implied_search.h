// What a caller who names options means by them: some of them choose the strategy, and some need a wider
// beam.
#pragma once

#include <string>

#include "heed/engine/answer/answer_options.h"

namespace heed {

/// Which of these were given by name, besides their values.
struct GivenByName {
  bool sample = false;
  bool diverse = false;
  bool beam = false;
};

/// Chooses strategy and beam. Fault::usage where two of them exclude each other, in a message that begins
/// with `who`.
void imply_search(AnswerOptions& options, const GivenByName& given, const std::string& who);

}  // namespace heed
