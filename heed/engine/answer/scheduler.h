// Searches the pieces of many requests, which share searches. It has no thread and no lock: whoever owns
// it calls step() until nothing is left.
//
//   who finds it idle        starts at once: there is no timer that waits for others
//   who comes in between     joins the search of his like (lane.h) at its next step
//   searches of other kinds  take turns, a step each
//   who leaves or is late    is gone before the next step, with his rows
//
// A request has only its next pieces under way, as many as it would have alone; then it queues again
// behind the others. So a long request does not hold up short ones, and one that is alone is searched in
// the batches in which it always was. What fails with neighbours is tried again without them, so nobody
// is taken along: a job fails only by itself.
#pragma once

#include <cstdint>
#include <list>

#include "heed/engine/answer/lane.h"
#include "heed/engine/answer/search_job.h"

namespace heed {

class Scheduler {
 public:
  /// The job must live until it has ended.
  void add(SearchJob& job);
  /// Whether no job is left.
  bool is_idle() const { return lanes_.empty(); }
  /// Lets go of those who leave, lets those in who wait, and takes a step of the search whose turn it is.
  void step();

  /// What it has done so far.
  struct Counts {
    int64_t steps = 0;   // of searches
    int64_t pieces = 0;  // that were let in
    int64_t joins = 0;   // of these, how many found others under way
  };
  Counts counts() const { return counts_; }

 private:
  void queue(Lane::Group group);
  void go_on(SearchJob& job);
  void let_in(Lane& lane);
  bool is_room_made_for(const Lane& lane) const;
  bool are_others_under_way(const Lane& lane) const;

  std::list<Lane> lanes_;  // the first one's turn is next
  Counts counts_;
};

}  // namespace heed
