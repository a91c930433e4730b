// What sentences prescribe to a step: words that are given or closed, and changes of attention.
#include <algorithm>

#include "heed/search/search.h"

namespace heed {

/// What sentences under way change of the attention of this step.
std::vector<AttentionChange> Search::changes() const {
  std::vector<AttentionChange> all;
  for (size_t row = 0; row < rows_.size(); ++row) {
    const SentenceSearch& sentence = sentences_.at(rows_[row].sentence);
    for (const ChangeAtStep& one : sentence.options.changes) {
      if (one.step < 0 || one.step == sentence.length + steps_ahead() - sentence.before()) {
        all.push_back(one.change);
        all.back().row = static_cast<int64_t>(row);
      }
    }
  }
  return all;
}

/// The word that each row must take, −1: any. Empty where no sentence has a word at this position.
std::vector<int32_t> Search::forced_words() const {
  std::vector<int32_t> ids(rows_.size(), -1);
  bool is_any = false;
  for (size_t row = 0; row < rows_.size(); ++row) {
    const SentenceSearch& sentence = sentences_.at(rows_[row].sentence);
    if (const auto word = sentence.given(sentence.length + steps_ahead())) {
      ids[row] = *word;
      is_any = true;
    }
  }
  return is_any ? ids : std::vector<int32_t>();
}

/// Forces the likeliest of the words between which a start lets the model choose.
void Search::choose_starts(Scored& scored) const {
  std::vector<double> scores;
  for (size_t row = 0; row < rows_.size(); ++row) {
    const SentenceSearch& sentence = sentences_.at(rows_[row].sentence);
    const std::span<const int32_t> some = sentence.start_at(sentence.length + steps_ahead());
    if (some.size() < 2) {
      continue;
    }
    if (scores.empty()) {
      scores = scored.prediction.scores.values();
      scored.forced.resize(rows_.size(), -1);
    }
    const double* own = scores.data() + row * (scores.size() / rows_.size());
    scored.forced[row] = *std::max_element(some.begin(), some.end(),
                                           [own](int32_t a, int32_t b) { return own[a] < own[b]; });
  }
}

/// The words that its rules close to every row; empty where no rule is on. A row with a
/// given word has none.
std::vector<std::vector<TokenId>> Search::closed_words() const {
  std::vector<std::vector<TokenId>> closed;
  for (const int64_t s : under_way()) {
    const SentenceSearch& sentence = sentences_.at(s);
    const RuleList& rules = sentence.settings().rules;
    if (rules.first_on() == nullptr) {
      continue;
    }
    closed.resize(rows_.size());
    for (const Beam& beam : sentence.beams) {
      for (const LiveHypothesis& live : beam.live) {
        if (!sentence.is_given(sentence.length)) {
          const std::vector<TokenId> words = beam.tree.words(live.node);
          closed[static_cast<size_t>(live.row)] =
              rules.closed(std::span(words).subspan(sentence.options.start.size()), specials());
        }
      }
    }
  }
  return closed;
}

/// The words that may follow every row however unlikely they are; empty where no strategy says any.
std::vector<std::vector<TokenId>> Search::wanted_words() const {
  std::vector<std::vector<TokenId>> wanted;
  for (const Cohort& cohort : cohorts_) {
    if (!cohort.strategy().follows_words()) {
      continue;
    }
    wanted.resize(rows_.size());
    for (const int64_t s : cohort.sentences) {
      const SentenceSearch& sentence = sentences_.at(s);
      if (sentence.is_given(sentence.length)) {
        continue;
      }
      for (const Beam& beam : sentence.beams) {
        for (const LiveHypothesis& live : beam.live) {
          wanted[static_cast<size_t>(live.row)] =
              cohort.strategy().wanted_words(sentence, beam, live);
        }
      }
    }
  }
  return wanted;
}

/// i32 [Q, C], −1: none; undefined where no row has words.
Tensor Search::padded(const std::vector<std::vector<TokenId>>& words) const {
  size_t most = 0;
  for (const auto& row : words) {
    most = std::max(most, row.size());
  }
  if (most == 0) {
    return {};
  }
  std::vector<int32_t> ids(words.size() * most, -1);
  for (size_t row = 0; row < words.size(); ++row) {
    std::copy(words[row].begin(), words[row].end(),
              ids.begin() + static_cast<std::ptrdiff_t>(row * most));
  }
  return Tensor::of(ids, {static_cast<int64_t>(words.size()), static_cast<int64_t>(most)},
                    place_.with(DType::i32));
}

}  // namespace heed
