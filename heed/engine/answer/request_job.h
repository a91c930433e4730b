// The pieces of a request on their way through a scheduler, group by group.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <vector>

#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/search_job.h"
#include "heed/engine/answer/source_pieces.h"

namespace heed {

class RequestJob : public SearchJob {
 public:
  /// The models and the options (request.h: bounded_options) must outlive it.
  RequestJob(TrainedModels models, const AnswerOptions& options);

  /// Prepared pieces that are searched together. Not while a scheduler has the job.
  void add(std::vector<Piece*> group) { groups_.push_back(std::move(group)); }
  /// Asked for every piece: who watches it, or null.
  std::function<Watcher*(const Piece& piece)> watcher_of = {};
  /// Called at the end, on the thread that steps the scheduler.
  std::function<void()> ended = {};
  /// The request fails with this before the next step.
  void give_up(const std::exception_ptr& failure) { failure_ = failure_ ? failure_ : failure; }
  /// Throws what it failed with, if it did.
  void check() const;
  /// Whether the n best texts of a source must differ. Then found pieces have replies, because the job
  /// looks at their texts; otherwise they have hypotheses.
  bool is_distinct() const { return is_distinct_; }
  /// The number of positions for words that all models have.
  int64_t longest() const { return longest_; }

  const SearchPlan& plan() const override { return plan_; }
  bool goes_on() const override;
  std::vector<PieceToSearch> next() override;
  void found(size_t piece, std::vector<Hypothesis> best) override;
  bool does_without(const std::exception_ptr& failure) override;
  void end(std::exception_ptr failure) override;

 private:
  void take_texts();
  std::vector<PieceToSearch> to_search(bool is_watched) const;
  bool widens();

  const TrainedModel& trained_;
  const AnswerOptions& options_;
  SearchPlan plan_;
  int64_t longest_;
  bool is_distinct_;
  std::deque<std::vector<Piece*>> groups_;
  std::vector<Piece*> present_;  // of the group under way, those that are searched
  int64_t beam_ = 0;             // with which they are
  std::exception_ptr failure_;
};

}  // namespace heed
