// The state of one sentence's search.
#pragma once

#include <vector>

#include "heed/search/hypothesis.h"
#include "heed/search/search.h"

namespace heed {

/// A hypothesis under way, and the row of the decoders' states it lives in.
struct Live {
  Hypothesis said;
  int32_t row = 0;
};

/// Hypotheses that compete with each other.
struct Beam {
  std::vector<Live> live;  // best first; empty: it is done
  std::vector<Hypothesis> finished;
};

/// A continuation of one of a beam's live hypotheses.
struct Candidate {
  double log_probability = 0;  // of all its words
  size_t parent = 0;           // among the beam's live hypotheses
  int32_t id = 0;
  double merit =
      0;  // what it is preferred by; the log-probability unless a strategy says otherwise
};

struct SentenceSearch {
  std::vector<Beam> beams;
  Wish wish;
  int64_t limit = 0;  // words at most
  int64_t said = 0;   // words each live hypothesis has said
};

}  // namespace heed
