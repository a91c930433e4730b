// How hypotheses grow by what was chosen, with the weights with which it was chosen, and what a
// sentence has found when it is done.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "heed/search/search.h"

namespace heed {
namespace {

/// Adds a hypothesis of this many words, those of the start included, to those that are finished.
void finish(const SentenceSearch& sentence, Beam& beam, FinishedHypothesis hypothesis,
            int64_t words) {
  std::vector<std::span<const float>> weights;
  if (sentence.score.wants_weights()) {
    weights = beam.tree.weights(hypothesis.node, hypothesis.weights);
  }
  hypothesis.score = sentence.score(
      hypothesis.log_probability, words - sentence.before() + (hypothesis.ended ? 1 : 0), weights);
  beam.finished.push_back(hypothesis);
}

/// Whether the best hypothesis under way is better, as it stands, than the worst of the best `width`
/// that are finished.
bool may_improve(const SentenceSearch& sentence, const Beam& beam, const LiveHypothesis& best,
                 size_t width) {
  std::vector<double> scores;
  for (const FinishedHypothesis& one : beam.finished) {
    scores.push_back(one.score);
  }
  const auto worst = scores.begin() + static_cast<std::ptrdiff_t>(width) - 1;
  std::nth_element(scores.begin(), worst, scores.end(), std::greater<>());
  return sentence.score(best.log_probability, sentence.length - sentence.before() + 1, {}) > *worst;
}

}  // namespace

/// `all` has the candidates of every beam.
void Search::grow_all(const std::vector<std::vector<Candidate>>& all, const RowWeights& weights,
                      const WatchedRows& watched) {
  std::optional<ReadRows> read;
  if (!watched.rows.empty()) {
    read.emplace(watched);
  }
  auto candidates = all.begin();
  for (const int64_t s : under_way()) {
    SentenceSearch& sentence = sentences_.at(s);
    for (size_t g = 0; g < sentence.beams.size(); ++g) {
      const bool is_heard = sentence.watcher != nullptr && !sentence.beams[g].live.empty();
      if (read && is_heard) {
        grow_watched(s, g, *candidates++, weights, *read);
      } else {
        grow(sentence, sentence.beams[g], *candidates++, weights);
      }
    }
    ++sentence.length;
  }
}

/// Replaces the beam's hypotheses by their continuations; each remembers the row that it continues.
void Search::grow(SentenceSearch& sentence, Beam& beam, const std::vector<Candidate>& candidates,
                  const RowWeights& weights) const {
  if (candidates.empty()) {  // the model's scores are NaN or rules close all words: they end here
    for (size_t h = 0; h < beam.live.size(); ++h) {
      const int32_t row = note_weights(sentence, beam, h, weights);
      const LiveHypothesis& live = beam.live[h];
      finish(sentence, beam, {live.node, row, false, live.log_probability, live.of_model},
             sentence.length);
    }
    beam.live.clear();
    return;
  }
  const auto width = sentence.cohort->width();
  const bool ends_full = sentence.settings().until == BeamEnds::full;
  std::vector<LiveHypothesis> grown;
  std::vector<int32_t> noted(beam.live.size(), HypothesisTree::none);
  for (size_t rank = 0; rank < candidates.size(); ++rank) {
    const bool is_among_best = rank < width;
    const bool is_full = ends_full && beam.finished.size() >= width;
    if (grown.size() >= width || (!is_among_best && is_full)) {
      break;
    }
    const Candidate& candidate = candidates[rank];
    const bool ends = candidate.id == specials().end();
    if (ends && !is_among_best) {
      continue;
    }
    const LiveHypothesis& from = beam.live[candidate.parent];
    int32_t& row = noted[candidate.parent];
    row =
        row == HypothesisTree::none ? note_weights(sentence, beam, candidate.parent, weights) : row;
    const bool is_before = sentence.length < sentence.before();
    const double log_p = is_before ? from.log_probability : candidate.log_probability;
    const double of_model = is_before ? from.of_model : candidate.of_model;
    if (ends) {
      finish(sentence, beam, {from.node, row, true, log_p, of_model}, sentence.length);
    } else {
      grown.push_back(
          {beam.tree.add({from.node, candidate.id, row, log_p}), from.row, log_p, of_model});
    }
  }
  beam.live.clear();
  const bool is_cut = sentence.length + 1 >= sentence.limit;
  if (beam.finished.size() >= width &&
      (ends_full || grown.empty() || !may_improve(sentence, beam, grown.front(), width))) {
    return;
  }
  for (const LiveHypothesis& live : grown) {
    if (is_cut) {
      finish(sentence, beam,
             {live.node, HypothesisTree::none, false, live.log_probability, live.of_model},
             sentence.length + 1);
    } else {
      beam.live.push_back(live);
    }
  }
}

std::vector<Hypothesis> Search::take(int64_t sentence) {
  const SentenceSearch& from = found(sentence);
  require(!from.is_live(), "search: saw sentence {} taken before it is done; ask is_done first",
          sentence);
  std::vector<std::pair<const HypothesisTree*, FinishedHypothesis>> all;
  for (const Beam& beam : from.beams) {
    for (const FinishedHypothesis& one : beam.finished) {
      all.emplace_back(&beam.tree, one);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second.score > b.second.score; });
  all.resize(std::min(all.size(), static_cast<size_t>(from.settings().n_best)));
  std::vector<Hypothesis> best;
  for (const auto& [tree, one] : all) {
    Hypothesis& out = best.emplace_back();
    out.ids = tree->words(one.node);
    out.log_probability = one.log_probability;
    if (ensemble_.adds_scorers()) {
      out.weighted_sum = one.log_probability;
      out.log_probability = one.of_model;
    }
    out.score = one.score;
    out.ended = one.ended;
    for (const std::span<const float> row : from.settings().weights
                                                ? tree->weights(one.node, one.weights)
                                                : std::vector<std::span<const float>>()) {
      out.weights.emplace_back(row.begin(), row.end());
    }
  }
  drop(sentence);
  return best;
}

/// Keeps nothing of a sentence that was taken but, as long as the device computes them, the places of
/// its rows.
void Search::drop(int64_t sentence) {
  SentenceSearch& of = sentences_.at(sentence);
  if (!of.has_rows) {
    sentences_.erase(sentence);
    return;
  }
  of.is_taken = true;
  of.watcher = nullptr;
  for (Beam& beam : of.beams) {
    beam = Beam();
  }
}

Search::RowWeights::RowWeights(std::vector<HeadChoice> looks, std::span<Arriving> weights)
    : looks_(std::move(looks)) {
  for (Arriving& one : weights) {
    slots_.push_back(one.defined() ? static_cast<size_t>(one.size(1)) : 0);
    values_.push_back(one.defined() ? one.values<float>() : Values());
  }
}

/// The first `count` weights of a row; none where there are none.
std::span<const float> Search::RowWeights::of(const HeadChoice& look, int32_t row,
                                              int32_t count) const {
  const auto at =
      static_cast<size_t>(std::find(looks_.begin(), looks_.end(), look) - looks_.begin());
  const std::span<const float> all = values_[at];
  return slots_[at] == 0
             ? all
             : all.subspan(static_cast<size_t>(row) * slots_[at], static_cast<size_t>(count));
}

/// Keeps a live hypothesis's weights of this step in the tree, once for all its continuations, if
/// the sentence wants any.
int32_t Search::note_weights(const SentenceSearch& sentence, Beam& beam, size_t live,
                             const RowWeights& weights) const {
  const SentenceSettings& settings = sentence.settings();
  if (!settings.needs_weights()) {
    return HypothesisTree::none;
  }
  const std::span<const float> row =
      weights.of(settings.looks(), beam.live[live].row,
                 ensemble_.source_lengths()[static_cast<size_t>(sentence.memory)]);
  return row.empty() ? HypothesisTree::none : beam.tree.add_weights(row);
}

}  // namespace heed
