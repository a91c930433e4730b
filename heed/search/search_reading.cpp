// What the host reads of a step: the continuations that were chosen, and what the model alone says
// of them.
#include <algorithm>
#include <cmath>

#include "heed/ops/gather.h"
#include "heed/ops/reshape.h"
#include "heed/search/search.h"

namespace heed {

/// The weights that sentences need, on their way to the host.
std::vector<Arriving> Search::needed_weights(const Ensemble::Prediction& prediction,
                                             const Looks& asked) {
  std::vector<Arriving> all;
  for (size_t look = 0; look < asked.needed.size(); ++look) {
    const Tensor& one = prediction.weights[look];
    all.push_back(one.defined() ? Arriving(one) : Arriving());
  }
  return all;
}

void Search::read(Unread& step) {
  std::vector<std::vector<Candidate>> all;
  auto choice = step.chosen.begin();
  for (const Cohort& cohort : cohorts_) {
    Unread::Choice& own = *choice++;
    if (own.packed.defined()) {
      read_choice(cohort, own, all);
    }
  }
  ask_model(step.of_model, all);
  grow_all(all, RowWeights(step.looks, step.weights), step.watched);
}

/// Appends the candidates of every beam of a cohort.
void Search::read_choice(const Cohort& cohort, Unread::Choice& choice,
                         std::vector<std::vector<Candidate>>& all) const {
  const Values chosen = choice.packed.values<float>();
  const auto beams = static_cast<size_t>(choice.packed.size(1));
  const auto count = static_cast<size_t>(choice.packed.size(2));
  const float* id = chosen.data();
  for (const int64_t s : cohort.sentences) {
    const SentenceSearch& sentence = sentences_.at(s);
    const bool is_given = sentence.is_given(sentence.length);
    for (const Beam& beam : sentence.beams) {
      std::vector<Candidate>& candidates = all.emplace_back();
      for (size_t c = 0; c < count; ++c) {
        const auto number = static_cast<int64_t>(id[beams * count + c]);
        const auto parent = static_cast<size_t>(number / choice.words_per_row);
        const double log_p = id[2 * beams * count + c];
        const auto word = static_cast<int32_t>(id[c]);
        if (parent < beam.live.size() && std::isfinite(log_p) &&
            (is_given || cohort.is_said(word))) {
          candidates.push_back({parent, word, beam.live[parent].log_probability + log_p});
        }
      }
      id += count;
      if (!is_given) {
        cohort.strategy().narrow(sentence, beam, candidates);
      }
    }
  }
}

/// Adds to every candidate of every beam what the model alone says of it; `of_model`, [Q, V], is
/// undefined where nothing else is asked.
void Search::ask_model(const Tensor& of_model, std::vector<std::vector<Candidate>>& all) const {
  if (!of_model.defined()) {
    return;
  }
  const auto each = [&](const auto& act) {
    auto candidates = all.begin();
    for (const int64_t s : under_way()) {
      for (const Beam& beam : sentences_.at(s).beams) {
        for (Candidate& one : *candidates++) {
          act(beam.live[one.parent], one);
        }
      }
    }
  };
  const auto words = static_cast<int32_t>(of_model.size(1));
  std::vector<int32_t> at;
  each([&](const LiveHypothesis& live, const Candidate& one) {
    at.push_back(live.row * words + one.id);
  });
  const Tensor column = reshape(of_model.dense(), {of_model.numel(), 1});
  const Values log_p = gather_rows(column, on_device(at)).values<float>();
  auto found = log_p.begin();
  each(
      [&](const LiveHypothesis& live, Candidate& one) { one.of_model = live.of_model + *found++; });
}

}  // namespace heed
