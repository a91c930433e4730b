#include "heed/search/watching.h"

#include <algorithm>

#include "heed/search/cohort.h"

namespace heed {

ReadRows::ReadRows(const WatchedRows& step)
    : step_(step), source_(read(step.source)), self_(read(step.self)) {
  if (step.rivals.ids.defined()) {
    ids_ = step.rivals.ids.values<int32_t>();
    log_probability_ = step.rivals.log_probability.values<float>();
  }
}

std::vector<ReadRows::Matrix> ReadRows::read(const std::vector<Tensor>& all) {
  std::vector<Matrix> out;
  for (const Tensor& one : all) {
    out.push_back(one.defined() ? Matrix{one.size(1), one.values<float>()} : Matrix());
  }
  return out;
}

/// The first `count` weights of a row, of every look that was asked for.
std::vector<std::vector<float>> ReadRows::rows_of(const std::vector<HeadChoice>& asked,
                                                  const std::vector<HeadChoice>& looks,
                                                  const std::vector<Matrix>& all, int32_t row,
                                                  int64_t count) {
  std::vector<std::vector<float>> out;
  for (const HeadChoice& look : asked) {
    const auto at =
        static_cast<size_t>(std::find(looks.begin(), looks.end(), look) - looks.begin());
    const Matrix& one = all[at];
    const auto first = one.values.begin() + row * one.columns;
    out.emplace_back(first, first + std::min(count, one.columns));
  }
  return out;
}

/// The likeliest of the words that an output may contain.
std::vector<WatchedWord> ReadRows::rivals_of(int32_t row, const SentenceSearch& sentence) const {
  std::vector<WatchedWord> rivals;
  const auto k = static_cast<size_t>(step_.rivals.ids.size(1));
  const auto at = static_cast<size_t>(std::find(step_.rows.begin(), step_.rows.end(), row) -
                                      step_.rows.begin());
  for (size_t i = at * k; i < (at + 1) * k; ++i) {
    if (static_cast<int64_t>(rivals.size()) < sentence.wish.rivals &&
        sentence.cohort->is_said(ids_[i])) {
      rivals.push_back({ids_[i], log_probability_[i]});
    }
  }
  return rivals;
}

WatchedHypothesis ReadRows::of(const LiveHypothesis& live, const SentenceSearch& sentence,
                               int64_t slots) const {
  WatchedHypothesis out{live.node, live.log_probability, {}, {}, {}};
  if (sentence.wish.rivals > 0) {
    out.rivals = rivals_of(live.row, sentence);
  }
  const Looks& looks = step_.looks;
  std::vector<HeadChoice> all = looks.needed;
  all.insert(all.end(), looks.watched.begin(), looks.watched.end());
  out.source = rows_of(sentence.wish.source, all, source_, live.row, slots);
  out.self = rows_of(sentence.wish.self, looks.self, self_, live.row, sentence.length + 1);
  return out;
}

std::vector<WatchedContinuation> fates(const std::vector<Candidate>& candidates,
                                       const std::vector<LiveHypothesis>& before, size_t finished,
                                       const Beam& beam, TokenId end) {
  const auto is_child = [&beam](int32_t node, const WatchedContinuation& one) {
    return beam.tree[node].parent == one.parent && beam.tree[node].word == one.word;
  };
  std::vector<WatchedContinuation> all;
  for (const Candidate& candidate : candidates) {
    WatchedContinuation one{before[candidate.parent].node, -1, candidate.id};
    one.log_probability = candidate.log_probability;
    for (const LiveHypothesis& live : beam.live) {
      if (is_child(live.node, one)) {
        one.fate = Fate::kept;
        one.node = live.node;
      }
    }
    for (size_t f = finished; f < beam.finished.size(); ++f) {
      const FinishedHypothesis& said = beam.finished[f];
      const bool ends = candidate.id == end && said.ended && said.node == one.parent;
      if (ends || (!said.ended && said.node != HypothesisTree::root && is_child(said.node, one))) {
        one.fate = ends ? Fate::finished : Fate::cut;
        one.node = ends ? -1 : said.node;
        one.score = said.score;
      }
    }
    all.push_back(one);
  }
  return all;
}

}  // namespace heed
