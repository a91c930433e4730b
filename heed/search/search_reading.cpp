// What the host reads of a step: the continuations that were chosen, what the model alone says of them,
// and the weights with which they were chosen.
#include <algorithm>
#include <cmath>

#include "heed/ops/gather.h"
#include "heed/ops/reshape.h"
#include "heed/search/search.h"
#include "heed/search/strategies.h"

namespace heed {

void Search::read(const Unread& step) {
  const Values chosen = step.chosen.values<float>();
  const auto beams = static_cast<size_t>(step.chosen.size(1));
  const auto count = static_cast<size_t>(step.chosen.size(2));
  std::vector<std::vector<Candidate>> all(beams);
  size_t f = 0;
  for (const int64_t s : under_way_) {
    for (const Beam& beam : sentences_.at(s).beams) {
      std::vector<Candidate>& candidates = all[f];
      const float* id = chosen.data() + f++ * count;
      for (size_t c = 0; c < count; ++c) {
        const auto number = static_cast<int64_t>(id[beams * count + c]);
        const auto parent = static_cast<size_t>(number / step.words_per_row);
        const double log_p = id[2 * beams * count + c];
        const auto word = static_cast<int32_t>(id[c]);
        const bool is_said =
            std::find(suppressed_.begin(), suppressed_.end(), word) == suppressed_.end();
        if (parent < beam.live.size() && std::isfinite(log_p) && is_said) {
          candidates.push_back({parent, word, beam.live[parent].log_probability + log_p});
        }
      }
    }
  }
  ask_model(step.of_model, all);
  grow_all(all, RowWeights(step.weights));
}

void Search::rank_on_host(const Ensemble::Prediction& prediction) {
  std::vector<std::vector<TokenId>> closed = closed_words();
  size_t most_closed = 0;
  for (const auto& row : closed) {
    most_closed = std::max(most_closed, row.size());
  }
  const HostWords words(prediction.scores,
                        strategy_->words_per_row() + static_cast<int64_t>(most_closed),
                        prediction.is_sum, suppressed_, std::move(closed));
  std::vector<std::vector<Candidate>> all;
  for (const int64_t s : under_way_) {
    const SentenceSearch& sentence = sentences_.at(s);
    for (const Beam& beam : sentence.beams) {
      if (!sentence.is_inside_prefix()) {
        all.push_back(strategy_->rank(sentence, beam, words));
        continue;
      }
      std::vector<Candidate>& forced = all.emplace_back();
      const int32_t id = sentence.options.prefix[static_cast<size_t>(sentence.length)];
      for (size_t h = 0; h < beam.live.size(); ++h) {
        const LiveHypothesis& live = beam.live[h];
        forced.push_back({h, id, live.log_probability + words.log_probability(live.row, id)});
      }
    }
  }
  ask_model(prediction.of_model, all);
  grow_all(all, RowWeights(prediction.weights));
}

/// Adds to every candidate of every beam what the model alone says of it; `of_model`, [Q, V], is
/// undefined where nothing else is asked.
void Search::ask_model(const Tensor& of_model, std::vector<std::vector<Candidate>>& all) const {
  if (!of_model.defined()) {
    return;
  }
  const auto each = [&](const auto& act) {
    auto candidates = all.begin();
    for (const int64_t s : under_way_) {
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

/// `all` has the candidates of every beam.
void Search::grow_all(const std::vector<std::vector<Candidate>>& all, const RowWeights& weights) {
  auto candidates = all.begin();
  for (const int64_t s : under_way_) {
    SentenceSearch& sentence = sentences_.at(s);
    for (Beam& beam : sentence.beams) {
      grow(sentence, beam, *candidates++, weights);
    }
    ++sentence.length;
  }
}

Search::RowWeights::RowWeights(const Tensor& weights)
    : slots_(weights.defined() ? static_cast<size_t>(weights.size(1)) : 0),
      values_(weights.defined() ? weights.values<float>() : Values()) {}

/// The first `count` weights of a row; none where there are none.
std::span<const float> Search::RowWeights::of(int32_t row, int32_t count) const {
  const std::span<const float> all = values_;
  return slots_ == 0 ? all
                     : all.subspan(static_cast<size_t>(row) * slots_, static_cast<size_t>(count));
}

/// Keeps a live hypothesis's weights of this step in the tree, once for all its continuations.
int32_t Search::note_weights(Beam& beam, size_t live, size_t source,
                             const RowWeights& weights) const {
  const std::span<const float> row =
      weights.of(beam.live[live].row, ensemble_.source_lengths()[source]);
  return row.empty() ? HypothesisTree::none : beam.tree.add_weights(row);
}

}  // namespace heed
