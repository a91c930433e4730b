#include "heed/engine/answer/lane.h"

#include <algorithm>
#include <new>
#include <utility>

#include "heed/config/explain.h"
#include "heed/data/batch.h"
#include "heed/device/out_of_memory.h"
#include "heed/engine/answer/source_pieces.h"
#include "heed/search/searches.h"

namespace heed {
namespace {

/// What a search is told that belongs to no sentence.
bool share_settings(const SearchOptions& a, const SearchOptions& b) {
  return a.strategy == b.strategy && a.ensemble == b.ensemble && a.combine == b.combine &&
         a.ctc_weight == b.ctc_weight && a.lm_weight == b.lm_weight &&
         a.language_model == b.language_model && a.weights_of == b.weights_of &&
         a.parallel.length == b.parallel.length;
}

bool are_same(const SearchOptions& a, const SearchOptions& b) {
  return share_settings(a, b) && a.weights == b.weights && a.looks() == b.looks() &&
         changed_settings(a).write() == changed_settings(b).write();
}

int64_t hypotheses_of(const Lane::Group& group) {
  int64_t count = 0;
  for (const PieceToSearch& piece : group.pieces) {
    const SentenceSettings& settings = *piece.options.settings;
    count += std::max(settings.beam, settings.n_best);
  }
  return count;
}

size_t rows_of(const Lane::Group& group) {
  size_t rows = 0;
  for (const PieceToSearch& piece : group.pieces) {
    rows += static_cast<size_t>(std::max<int64_t>(piece.rows, 1));
  }
  return rows;
}

bool is_lack_of_memory(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const OutOfMemory&) {
    return true;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// Whether it was asked for in a way that no search takes, whoever else is there.
bool is_misuse(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.fault() == Fault::usage;
  } catch (...) {
    return false;
  }
}

}  // namespace

Lane::Lane(const SearchPlan& plan)
    : plan_(plan), is_open_(search_for(plan.models.front()->decoder()).is_open) {}

bool Lane::takes(const SearchPlan& plan) const {
  return plan.models == plan_.models && plan.fields.source == plan_.fields.source &&
         (is_open_ ? share_settings(plan.options, plan_.options)
                   : are_same(plan.options, plan_.options));
}

/// Rows of sources that are read together.
size_t Lane::most_rows() const {
  return is_read_late(*plan_.fields.source) ? most_rows_together : most_tokens_together;
}

int64_t Lane::hypotheses_under_way() const {
  int64_t count = 0;
  for (const Group& group : under_way_) {
    count += hypotheses_of(group);
  }
  return count;
}

/// Beside so many hypotheses, and so many rows that are read with it.
bool Lane::has_room(const Group& group, int64_t hypotheses, size_t rows, bool is_first) const {
  return is_first ||
         (group.alone == Alone::no && hypotheses + hypotheses_of(group) <= most_hypotheses &&
          (rows == 0 || rows + rows_of(group) <= most_rows()));
}

/// Those who wait first, as many as there is room for; whoever must be alone is.
std::vector<Lane::Group> Lane::admissible() {
  std::vector<Group> some;
  int64_t hypotheses = hypotheses_under_way();
  size_t rows = 0;
  while (!waiting_.empty() && (some.empty() || some.front().alone == Alone::no) &&
         has_room(waiting_.front(), hypotheses, rows, some.empty() && under_way_.empty())) {
    some.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    hypotheses += hypotheses_of(some.back());
    rows += rows_of(some.back());
  }
  return some;
}

/// Reads the sources of these groups and adds them to the search, or begins one.
void Lane::begin(std::vector<Group>& groups) {
  BatchItems items{plan_.fields, {}, {}};
  std::vector<SentenceOptions> sentences;
  for (const Group& group : groups) {
    for (const PieceToSearch& piece : group.pieces) {
      items.source.push_back(*piece.item);
      sentences.push_back(piece.options);
    }
  }
  const Batch batch = make_batch(items, plan_.models.front()->place());
  int64_t first = 0;
  if (search_) {
    first = search_->open()->join(batch, sentences);
  } else {
    auto search = begin_search({plan_.models, batch, sentences, plan_.options});
    if (is_open_) {
      search->step();  // reads the sources
    }
    search_ = std::move(search);
  }
  for (Group& group : groups) {
    group.first = std::exchange(first, first + static_cast<int64_t>(group.pieces.size()));
    group.found.assign(group.pieces.size(), false);
  }
}

/// From the next step on its watchers hear of its pieces.
void Lane::watch(const Group& group) {
  for (size_t i = 0; i < group.pieces.size() && is_open_; ++i) {
    if (group.pieces[i].watcher != nullptr) {
      search_->open()->watch(group.first + static_cast<int64_t>(i), group.pieces[i].watcher);
    }
  }
}

size_t Lane::let_in(bool are_others) {
  const bool is_closed = search_ && (!is_open_ || under_way_.front().alone != Alone::no);
  if (waiting_.empty() || is_closed) {
    return 0;
  }
  std::vector<Group> groups = admissible();
  if (groups.empty()) {
    return 0;
  }
  try {
    begin(groups);
  } catch (...) {
    fail_before(std::move(groups), std::current_exception(), are_others);
    return 0;
  }
  size_t count = 0;
  try {
    for (Group& group : groups) {
      count += group.pieces.size();
      watch(under_way_.emplace_back(std::move(group)));
    }
  } catch (...) {
    fail_all(std::current_exception(), are_others);
  }
  return count;
}

/// Groups that could not begin: each by itself next time, the first of them first.
void Lane::fail_before(std::vector<Group> groups, const std::exception_ptr& why, bool are_others) {
  if (groups.size() == 1) {
    fail(std::move(groups.front()), why, are_others);
    return;
  }
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    group->alone = Alone::in_lane;
    waiting_.push_front(std::move(*group));
  }
}

/// Where others are there, it is tried once more without them.
void Lane::fail(Group group, const std::exception_ptr& why, bool are_others) {
  const bool lacks_memory = is_lack_of_memory(why);
  const bool is_by_itself = under_way_.empty() && !(lacks_memory && are_others);
  if (is_by_itself || is_misuse(why)) {
    gone_.push_back({group.job, why});
    return;
  }
  group.alone = lacks_memory ? Alone::in_engine : Alone::in_lane;
  waiting_.push_front(std::move(group));
}

void Lane::fail_all(const std::exception_ptr& why, bool are_others) {
  search_.reset();
  std::list<Group> groups = std::exchange(under_way_, {});
  std::erase_if(groups, [](const Group& group) { return group.job == nullptr; });
  if (groups.size() == 1) {
    fail(std::move(groups.front()), why, are_others);
    return;
  }
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    group->alone = is_lack_of_memory(why) ? Alone::in_engine : Alone::in_lane;
    waiting_.push_front(std::move(*group));
  }
}

/// Whether the group's job goes on no longer; then it is handed back.
bool Lane::leaves(Group& group) {
  if (group.job == nullptr || group.job->goes_on()) {
    return false;
  }
  gone_.push_back({std::exchange(group.job, nullptr),
                   std::make_exception_ptr(
                       Error("search: it was cancelled before its end", Fault::cancelled))});
  return true;
}

/// The rows of a group are computed no longer.
void Lane::cancel(const Group& group) {
  for (size_t i = 0; i < group.pieces.size() && is_open_; ++i) {
    if (!group.found[i]) {
      search_->open()->cancel(group.first + static_cast<int64_t>(i));
    }
  }
}

void Lane::let_out() {
  std::erase_if(waiting_, [this](Group& group) { return leaves(group); });
  try {
    for (Group& group : under_way_) {
      if (leaves(group)) {
        cancel(group);
      }
    }
  } catch (...) {
    fail_all(std::current_exception(), false);
  }
  rest_if_empty();
}

void Lane::step(bool are_others) {
  if (!search_) {
    return;
  }
  try {
    if (!search_->is_done()) {
      search_->step();
    }
    hand_out();
  } catch (...) {
    fail_all(std::current_exception(), are_others);
  }
  rest_if_empty();
}

void Lane::hand_out() {
  if (is_open_) {
    for (Group& group : under_way_) {
      hand_out_open(*search_->open(), group);
    }
    return;
  }
  if (!search_->is_done()) {
    return;
  }
  std::vector<std::vector<Hypothesis>> all = search_->take();
  for (Group& group : under_way_) {
    for (size_t i = 0; i < group.pieces.size() && group.job != nullptr; ++i) {
      group.job->found(i, std::move(all[static_cast<size_t>(group.first) + i]));
    }
    if (group.job != nullptr) {
      gone_.push_back({std::exchange(group.job, nullptr), nullptr});
    }
  }
}

void Lane::hand_out_open(OpenSearch& search, Group& group) {
  for (size_t i = 0; i < group.pieces.size() && group.job != nullptr; ++i) {
    const int64_t source = group.first + static_cast<int64_t>(i);
    if (!group.found[i] && search.is_done(source)) {
      group.job->found(i, search.take(source));
      group.found[i] = true;
    }
  }
  const bool is_all = std::find(group.found.begin(), group.found.end(), false) == group.found.end();
  if (group.job != nullptr && is_all) {
    gone_.push_back({std::exchange(group.job, nullptr), nullptr});
  }
}

/// A search without a source ends, and gives its memory back.
void Lane::rest_if_empty() {
  std::erase_if(under_way_, [](const Group& group) { return group.job == nullptr; });
  if (under_way_.empty()) {
    search_.reset();
  }
}

}  // namespace heed
