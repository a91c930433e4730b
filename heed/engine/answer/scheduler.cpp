#include "heed/engine/answer/scheduler.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace heed {

void Scheduler::add(SearchJob& job) { go_on(job); }

/// Its next pieces wait behind those of others; without any it ends.
void Scheduler::go_on(SearchJob& job) {
  std::exception_ptr failure;
  try {
    std::vector<PieceToSearch> pieces = job.next();
    if (!pieces.empty()) {
      queue({.job = &job, .pieces = std::move(pieces)});
      return;
    }
  } catch (...) {
    failure = std::current_exception();
  }
  job.end(std::move(failure));
}

void Scheduler::queue(Lane::Group group) {
  const SearchPlan& plan = group.job->plan();
  auto lane = std::find_if(lanes_.begin(), lanes_.end(),
                           [&plan](const Lane& one) { return one.takes(plan); });
  if (lane == lanes_.end()) {
    lane = lanes_.emplace(lanes_.end(), plan);
  }
  lane->wait(std::move(group));
}

bool Scheduler::are_others_under_way(const Lane& lane) const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [&lane](const Lane& one) { return &one != &lane && one.is_under_way(); });
}

/// Where somebody must be alone nobody else comes in: neither before nor while he is there.
bool Scheduler::is_room_made_for(const Lane& lane) const {
  const auto any = [this](bool (Lane::*is)() const) {
    return std::any_of(lanes_.begin(), lanes_.end(), [is](const Lane& one) { return (one.*is)(); });
  };
  if (any(&Lane::has_engine)) {
    return false;
  }
  return !any(&Lane::needs_engine) || (lane.needs_engine() && !any(&Lane::is_under_way));
}

void Scheduler::let_in(Lane& lane) {
  if (!is_room_made_for(lane)) {
    return;
  }
  const bool is_joined = lane.is_under_way();
  const auto count = static_cast<int64_t>(lane.let_in(are_others_under_way(lane)));
  counts_.pieces += count;
  counts_.joins += is_joined ? count : 0;
}

void Scheduler::step() {
  for (Lane& lane : lanes_) {
    lane.let_out();
  }
  if (!lanes_.empty()) {
    Lane& lane = lanes_.front();
    lanes_.splice(lanes_.end(), lanes_, lanes_.begin());
    let_in(lane);
    counts_.steps += lane.is_under_way() ? 1 : 0;
    lane.step(are_others_under_way(lane));
  }
  std::vector<Lane::Gone> gone;
  for (Lane& lane : lanes_) {
    std::ranges::move(lane.take_gone(), std::back_inserter(gone));
  }
  std::vector<Lane::Gone> ending;
  for (Lane::Gone& one : gone) {
    if (!one.failure || one.job->does_without(one.failure)) {
      go_on(*one.job);
    } else {
      ending.push_back(std::move(one));
    }
  }
  std::erase_if(lanes_, [](const Lane& lane) { return lane.is_empty(); });
  for (Lane::Gone& one : ending) {
    one.job->end(std::move(one.failure));
  }
}

}  // namespace heed
