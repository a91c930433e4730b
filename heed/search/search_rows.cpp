// Assigns the hypotheses of a search to rows of the decoders' states.
#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "heed/nn/sentence_keys.h"
#include "heed/search/search.h"

namespace heed {
namespace {

/// A row of `count` for each hypothesis that has a row now. Where rows may be in any order
/// (`keeps_rows`), the first hypothesis that continues a row stays in it, and only the others move.
std::vector<int32_t> new_rows(const std::vector<int32_t>& present, bool keeps_rows) {
  const size_t count = present.size();
  std::vector<int32_t> rows(count, -1);
  std::vector<bool> is_taken(count, false);
  for (size_t h = 0; keeps_rows && h < count; ++h) {
    const auto own = static_cast<size_t>(present[h]);
    if (own < count && !is_taken[own]) {
      is_taken[own] = true;
      rows[h] = present[h];
    }
  }
  size_t next = 0;
  for (int32_t& row : rows) {
    while (row < 0 && is_taken[next]) {
      ++next;
    }
    if (row < 0) {
      is_taken[next] = true;
      row = static_cast<int32_t>(next);
    }
  }
  return rows;
}

}  // namespace

Tensor Search::on_device(const std::vector<int32_t>& numbers) const {
  return Tensor::of(numbers, {static_cast<int64_t>(numbers.size())}, place_.with(DType::i32));
}

/// Numbers the rows as the device did when it continued without the host: side by side, in order.
void Search::renumber_rows() {
  int32_t first = 0;
  for (const Cohort& cohort : cohorts_) {
    for (const int64_t s : cohort.sentences) {
      for (Beam& beam : sentences_.at(s).beams) {
        for (size_t w = 0; w < beam.live.size(); ++w) {
          beam.live[w].row = first + static_cast<int32_t>(w);
        }
        first += static_cast<int32_t>(cohort.width());
      }
    }
  }
}

/// Drops the rows of hypotheses that are done and assigns the other hypotheses to rows.
void Search::settle() {
  for (Cohort& cohort : cohorts_) {
    std::erase_if(cohort.sentences, [this](int64_t s) {
      SentenceSearch& sentence = sentences_.at(s);
      if (sentence.is_live()) {
        return false;
      }
      places_.free(sentence.memory);
      sentence.has_rows = false;
      if (sentence.is_taken) {
        sentences_.erase(s);
      }
      return true;
    });
  }
  drop_empty_cohorts();
  const std::vector<int64_t> all = under_way();
  std::vector<int32_t> present;
  for (const int64_t s : all) {
    for (const Beam& beam : sentences_.at(s).beams) {
      for (const LiveHypothesis& live : beam.live) {
        present.push_back(live.row);
      }
    }
  }
  // A device that goes on without the host has the rows in the order of the beams.
  const std::vector<int32_t> to = new_rows(present, place_.backend->steps_ahead() == 0);
  std::vector<Row> rows(to.size());
  std::vector<int32_t> parent(to.size());
  std::vector<int32_t> words(to.size());
  size_t h = 0;
  for (const int64_t s : all) {
    std::vector<Beam>& beams = sentences_.at(s).beams;
    for (size_t g = 0; g < beams.size(); ++g) {
      for (LiveHypothesis& live : beams[g].live) {
        const auto row = static_cast<size_t>(to[h++]);
        rows[row] = {s, g};
        parent[row] = std::exchange(live.row, static_cast<int32_t>(row));
        words[row] =
            live.node == HypothesisTree::root ? specials().start() : beams[g].tree[live.node].word;
      }
    }
  }
  const bool stays = rows == rows_;
  rows_ = std::move(rows);
  if (rows_.empty()) {
    return;
  }
  move_rows(parent, stays);
  words_ = on_device(words);
  place_hypotheses();
}

void Search::move_rows(const std::vector<int32_t>& parent, bool stays) {
  if (!stays) {
    ensemble_.select(parent);
    draw_keys_ = Tensor();
    return;
  }
  for (size_t row = 0; row < parent.size(); ++row) {
    if (parent[row] != static_cast<int32_t>(row)) {
      ensemble_.reorder(on_device(parent));
      return;
    }
  }
}

Tensor Search::keys_of_rows() const {
  std::vector<int32_t> keys;
  for (const Row& row : rows_) {
    const SentenceOptions& own = sentences_.at(row.sentence).options;
    const auto key =
        sentence_key(own.seed.value_or(options_.seed), static_cast<uint64_t>(own.number), row.beam);
    keys.insert(keys.end(), key.begin(), key.end());
  }
  return Tensor::of(keys, {static_cast<int64_t>(rows_.size()), 2}, place_.with(DType::i32));
}

/// Leaves one for `cohort_for`, be it empty.
void Search::drop_empty_cohorts() {
  for (auto cohort = cohorts_.begin(); cohort != cohorts_.end();) {
    const bool is_last_left = cohorts_.size() == 1;
    cohort =
        cohort->sentences.empty() && !is_last_left ? cohorts_.erase(cohort) : std::next(cohort);
  }
}

/// Gives every cohort the rows and relative scores of its hypotheses.
void Search::place_hypotheses() {
  if (!draw_keys_.defined()) {
    draw_keys_ = keys_of_rows();
  }
  const auto busy = std::count_if(cohorts_.begin(), cohorts_.end(),
                                  [](const Cohort& one) { return !one.sentences.empty(); });
  for (Cohort& cohort : cohorts_) {
    if (!cohort.sentences.empty()) {
      place(cohort, busy == 1);
    }
  }
}

void Search::place(Cohort& cohort, bool is_alone) const {
  std::vector<int32_t> cells;
  std::vector<float> scores;
  for (const int64_t s : cohort.sentences) {
    for (const Beam& beam : sentences_.at(s).beams) {
      for (size_t w = 0; w < cohort.width(); ++w) {
        const bool is_live = w < beam.live.size();
        cells.push_back(is_live ? beam.live[w].row : -1);
        scores.push_back(is_live ? static_cast<float>(beam.live[w].log_probability -
                                                      beam.live[0].log_probability)
                                 : -std::numeric_limits<float>::infinity());
      }
    }
  }
  cohort.place(std::move(cells), std::move(scores), is_alone ? rows_.size() : 0);
}

}  // namespace heed
