// The search of a batch of sources, whatever the kind of the main decoder. It goes on by steps, so that
// searches can take turns and each can be given up between two steps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/data/batch.h"
#include "heed/model/model.h"
#include "heed/search/hypothesis.h"
#include "heed/search/search_options.h"
#include "heed/search/sentence_options.h"
#include "heed/search/watcher.h"

namespace heed {

class OpenSearch;

class BatchSearch {
 public:
  virtual ~BatchSearch() = default;

  virtual bool is_done() const = 0;
  /// Does the next part of the work; it must not be done.
  virtual void step() = 0;
  /// What it found for every source of the batch, best first; once, when it is done.
  virtual std::vector<std::vector<Hypothesis>> take() = 0;
  /// The same search, if sources can join and leave it; null: they cannot.
  virtual OpenSearch* open() { return nullptr; }
};

/// A search that sources join and leave between any two steps. They are numbered as they come; those of
/// the batch that it began with are there after its first step, from number 0 on.
class OpenSearch : public BatchSearch {
 public:
  using BatchSearch::is_done;
  using BatchSearch::take;

  OpenSearch* open() override { return this; }
  /// Reads these sources and adds them. Whatever fails, OutOfMemory among it, leaves those under way as
  /// they were. Returns the number of the first.
  virtual int64_t join(const Batch& batch, std::span<const SentenceOptions> sentences) = 0;
  virtual bool is_done(int64_t source) const = 0;
  /// From the next step on `watcher` hears of this source (Search::watch).
  virtual void watch(int64_t source, Watcher* watcher) = 0;
  /// Its rows are computed no longer; what is finished can be taken.
  virtual void cancel(int64_t source) = 0;
  /// What it found for a source that is done; once.
  virtual std::vector<Hypothesis> take(int64_t source) = 0;
};

}  // namespace heed
