// Tells the watcher of a request what the search says of one of its pieces.
#pragma once

#include "heed/api/request_watcher.h"
#include "heed/engine/answer/request_job.h"
#include "heed/search/watcher.h"
#include "heed/text/vocabulary.h"

namespace heed {

class StepTeller : public Watcher {
 public:
  /// All must outlive it. What the program's function throws is what the job fails with.
  StepTeller(const RequestWatcher& program, const Vocabulary& words, RequestJob& job,
             const Piece& piece);

  /// A search that begins again, because a neighbour failed, says the same again, which was told.
  WatchWish wish() const override;
  void hear(const WatchedStep& step) override;

 private:
  AnswerStep told(const WatchedStep& step) const;

  const RequestWatcher& program_;
  const Vocabulary& words_;
  RequestJob& job_;
  size_t source_;
  size_t part_;
  int64_t told_ = 0;           // steps, of all beams
  mutable int64_t heard_ = 0;  // of this search
};

}  // namespace heed
