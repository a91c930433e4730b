// What a scheduler knows of a request: pieces to be searched, some at a time.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "heed/data/field.h"
#include "heed/model/model.h"
#include "heed/search/hypothesis.h"
#include "heed/search/search_options.h"
#include "heed/search/sentence_options.h"
#include "heed/search/watcher.h"

namespace heed {

/// With what a request is searched. Requests whose models, strategy, decoders and mean are the same may
/// share a search; all other options belong to a piece.
struct SearchPlan {
  std::vector<const Model*> models;
  Fields fields;
  SearchOptions options;
};

/// A piece of a source, ready to be searched.
struct PieceToSearch {
  const Item* item = nullptr;  // as its field has prepared it; it lives until the piece is found
  int64_t rows = 0;
  SentenceOptions options = {};  // with settings and a seed
  Watcher* watcher = nullptr;    // null: nobody watches
};

/// Its functions are called by the scheduler, on the thread that steps it.
class SearchJob {
 public:
  virtual ~SearchJob() = default;
  virtual const SearchPlan& plan() const = 0;
  /// Asked before every step. Once it says false the job leaves.
  virtual bool goes_on() const = 0;
  /// The next pieces, which are searched together; called when all before them were found. None: there
  /// are no more, and the job ends.
  virtual std::vector<PieceToSearch> next() = 0;
  /// What was found for one of those pieces, best first.
  virtual void found(size_t piece, std::vector<Hypothesis> best) = 0;
  /// Whether it goes on with the next pieces though these could not be searched.
  virtual bool does_without(const std::exception_ptr& /*failure*/) { return false; }
  /// The scheduler has let go of it; nothing more is called. `failure` is null if all was found.
  virtual void end(std::exception_ptr failure) = 0;
};

}  // namespace heed
