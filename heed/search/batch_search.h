// The search of a batch of sources, whatever the kind of the main decoder. It goes on by steps, so that
// searches can take turns and each can be given up between two steps.
#pragma once

#include <memory>
#include <vector>

#include "heed/data/batch.h"
#include "heed/model/model.h"
#include "heed/search/hypothesis.h"
#include "heed/search/search_options.h"

namespace heed {

class BatchSearch {
 public:
  virtual ~BatchSearch() = default;

  virtual bool is_done() const = 0;
  /// Does the next part of the work; it must not be done.
  virtual void step() = 0;
  /// What it found for every source, best first; once, when it is done.
  virtual std::vector<std::vector<Hypothesis>> take() = 0;
};

}  // namespace heed
