// The watchers of a search: what they ask of a step, and what they hear of it.
#include <algorithm>

#include "heed/ops/gather.h"
#include "heed/search/search.h"
#include "heed/tensor/tape.h"

namespace heed {

void Search::watch(int64_t sentence, Watcher* watcher) {
  const NoGrad no_grad;
  read_all();
  found(sentence);
  SentenceSearch& own = sentences_.at(sentence);
  own.watcher = watcher;
  own.wish = watcher == nullptr ? WatchWish() : watcher->wish();
}

/// What the host will tell the watchers of this step; nothing where nobody watches.
WatchedRows Search::watched_rows(const Ensemble::Prediction& prediction, const Looks& asked) const {
  WatchedRows out;
  int64_t rivals = 0;
  size_t silent = 0;  // words that are no rivals
  for (size_t row = 0; row < rows_.size(); ++row) {
    const SentenceSearch& sentence = sentences_.at(rows_[row].sentence);
    if (sentence.watcher != nullptr) {
      out.rows.push_back(static_cast<int32_t>(row));
      rivals = std::max(rivals, sentence.wish.rivals);
      silent = std::max(silent, sentence.cohort->suppressed().size());
    }
  }
  if (out.rows.empty()) {
    return out;
  }
  if (rivals > 0) {
    out.rivals = choose_words(
        gather_rows(prediction.scores, on_device(out.rows)),
        {.most = rivals + static_cast<int64_t>(silent), .is_as_it_is = prediction.is_sum});
  }
  out.looks = asked;
  out.source = prediction.weights;
  out.self = prediction.self;
  return out;
}

void Search::grow_watched(int64_t number, size_t beam, const std::vector<Candidate>& candidates,
                          const RowWeights& weights, const ReadRows& read) {
  SentenceSearch& sentence = sentences_.at(number);
  Beam& own = sentence.beams[beam];
  const std::vector<LiveHypothesis> before = own.live;
  const size_t finished = own.finished.size();
  grow(sentence, own, candidates, weights);
  WatchedStep step{number, beam, sentence.length, {}, {}};
  step.continuations = fates(candidates, before, finished, own, specials().end());
  const int64_t slots = ensemble_.source_lengths()[static_cast<size_t>(sentence.memory)];
  for (const LiveHypothesis& live : before) {
    step.from.push_back(read.of(live, sentence, slots));
  }
  sentence.watcher->hear(step);
}

}  // namespace heed
