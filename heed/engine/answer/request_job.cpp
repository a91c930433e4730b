#include "heed/engine/answer/request_job.h"

#include <algorithm>
#include <utility>

#include "heed/device/out_of_memory.h"
#include "heed/engine/answer/piece_replies.h"
#include "heed/engine/answer/request.h"

namespace heed {
namespace {

SearchPlan plan_of(TrainedModels models, const AnswerOptions& options, bool is_distinct) {
  SearchPlan plan{{}, models.front()->fields, options.search};
  for (const TrainedModel* one : models) {
    plan.models.push_back(one->model.get());
  }
  SearchOptions& how = plan.options;
  how.weights = how.weights || options.replaces_unknowns;
  how.allow_unk = how.allow_unk || options.replaces_unknowns;
  how.n_best = is_distinct ? how.beam : how.n_best;  // so that as many are left
  return plan;
}

}  // namespace

RequestJob::RequestJob(TrainedModels models, const AnswerOptions& options)
    : trained_(*models.front()),
      options_(options),
      longest_(longest_of(models, options.search).target),
      is_distinct_(wants_distinct_texts(options.search)) {
  plan_ = plan_of(models, options, is_distinct_);
}

void RequestJob::check() const {
  if (failure_) {
    std::rethrow_exception(failure_);
  }
}

bool RequestJob::goes_on() const {
  return !failure_ && (!options_.is_cancelled || !options_.is_cancelled());
}

std::vector<PieceToSearch> RequestJob::to_search(bool is_watched) const {
  SentenceSettings settings = plan_.options;
  settings.beam = beam_;
  settings.n_best = is_distinct_ ? beam_ : settings.n_best;
  std::vector<PieceToSearch> all;
  for (const Piece* piece : present_) {
    PieceToSearch& one = all.emplace_back();
    one.item = &piece->prepared;
    one.rows = piece->rows;
    one.options = piece->options;
    one.options.settings = settings;
    one.options.seed = plan_.options.seed;
    one.watcher = is_watched && watcher_of ? watcher_of(*piece) : nullptr;
  }
  return all;
}

std::vector<PieceToSearch> RequestJob::next() {
  if (is_distinct_) {
    take_texts();
    if (widens()) {
      return to_search(false);
    }
  }
  if (groups_.empty()) {
    return {};
  }
  present_ = std::move(groups_.front());
  groups_.pop_front();
  beam_ = plan_.options.beam;
  return to_search(true);
}

void RequestJob::found(size_t piece, std::vector<Hypothesis> best) {
  present_[piece]->hypotheses = std::move(best);
  if (!is_distinct_) {
    forget_prepared(*present_[piece]);
  }
}

/// Different texts are looked for: what was found becomes replies, of which the same are dropped.
void RequestJob::take_texts() {
  for (Piece* piece : present_) {
    if (beam_ == plan_.options.beam) {
      begin_replies(trained_, options_, longest_, *piece);
      keep_distinct(piece->found, options_.search.n_best);
      continue;
    }
    add_replies(trained_, options_, *piece);
    keep_distinct(piece->found, options_.search.n_best);
    std::stable_sort(piece->found.begin(), piece->found.end(),
                     [](const Reply& a, const Reply& b) { return a.score > b.score; });
  }
}

/// Where the groups found the same texts, wider groups are searched for others, as far as eight times
/// the beam and as memory has room.
bool RequestJob::widens() {
  std::erase_if(present_, [this](Piece* piece) {
    const bool has_enough = static_cast<int64_t>(piece->found.size()) >= options_.search.n_best;
    if (has_enough) {
      forget_prepared(*piece);
    }
    return has_enough;
  });
  beam_ *= 2;
  const int64_t most = std::min(8 * plan_.options.beam, most_beam);
  return !present_.empty() && beam_ <= most;
}

/// What there is stays.
bool RequestJob::does_without(const std::exception_ptr& failure) {
  if (!is_distinct_ || beam_ == plan_.options.beam) {
    return false;
  }
  try {
    std::rethrow_exception(failure);
  } catch (const OutOfMemory&) {
    present_.clear();
    return true;
  } catch (...) {
    return false;
  }
}

/// From then on the failure belongs to who waits: no reference to it is left on this thread.
void RequestJob::end(std::exception_ptr failure) {
  if (!failure_) {
    failure_ = std::exchange(failure, nullptr);
  }
  failure = nullptr;
  if (ended) {
    ended();
  }
}

}  // namespace heed
