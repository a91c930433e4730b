// A request on its way to its answer, in three parts:
//
//   prepare  on the thread of who asks, under the request's allowance: sources are read, cut, tokenised
//            and decoded
//   search   by whoever steps a scheduler that has the job
//   join     on the thread of who waits: words, weights, and the pieces of a source put together
#pragma once

#include <optional>
#include <vector>

#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/piece_groups.h"
#include "heed/engine/answer/request_allowance.h"
#include "heed/engine/answer/request_job.h"

namespace heed {

class Inquiry {
 public:
  /// The models must outlive it. Fault::usage where the options do not fit them.
  Inquiry(std::vector<const TrainedModel*> models, std::vector<Source> sources,
          const AnswerOptions& asked);
  Inquiry(const Inquiry&) = delete;
  Inquiry& operator=(const Inquiry&) = delete;

  /// Makes the pieces ready that are searched together next, and gives them to the job. False: all
  /// were.
  bool prepare();
  RequestJob& job() { return job_; }
  /// What each source was cut into. Not while a scheduler has the job.
  const std::vector<std::vector<Piece>>& pieces() { return groups_.all(); }
  /// What the job has found becomes replies; throws what it failed with.
  void settle();
  /// The replies to every source, once all are settled.
  std::vector<Replies> joined();

 private:
  std::vector<const TrainedModel*> models_;
  std::vector<Source> sources_;
  AnswerOptions options_;
  RequestAllowance allowance_;
  PieceGroups groups_;
  RequestJob job_;
  std::vector<Piece*> given_;  // to the job, and not settled yet
};

}  // namespace heed
