#include "heed/engine/answer/scoring.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/engine/answer/request_allowance.h"
#include "heed/model/ctc/prefix.h"
#include "heed/nn/sentence_keys.h"
#include "heed/ops/gather.h"
#include "heed/ops/softmax.h"
#include "heed/search/sentence_options.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

struct Pair {
  Source source;
  std::string target;
};

/// Sentences draw as in a search of the sources, whose lines are counted from 1.
void score_batch(const TrainedModel& trained, std::span<const Pair> pairs,
                 std::span<const size_t> which, uint64_t seed, std::vector<PairScore>& out) {
  const Fields& fields = trained.fields;
  BatchItems items{fields, {}, {}};
  for (const size_t i : which) {
    items.source.push_back(
        fields.source->prepared(fields.source->reading(pairs[i].source).item, {}));
    ReadSource target = fields.target->reading(pairs[i].target);
    out[i].target = fields.target->labels(target);
    items.target.push_back(std::move(target.item));
  }
  const Batch batch = make_batch(items, trained.model->place());
  Pass pass = Pass::serving();
  std::vector<std::array<int32_t, 2>> keys;
  for (const size_t i : which) {
    const auto number = static_cast<uint64_t>(number_of_part(static_cast<int64_t>(i) + 1));
    keys.push_back(sentence_key(seed, number, 0));
  }
  pass.draw_by_sentence(std::move(keys));
  const Decoded decoded = trained.model->teach(batch, {}, pass);
  const auto log_p = target_log_probabilities(decoded, batch, trained.model->decoder().specials());
  auto at = log_p.begin();
  for (const size_t i : which) {
    PairScore& score = out[i];
    score.tokens = static_cast<int64_t>(score.target.size());
    score.token_log_probability.assign(at, at + score.tokens);
    score.log_probability = std::accumulate(at, at + score.tokens, 0.0);
    at += score.tokens;
  }
}

}  // namespace

std::vector<double> target_log_probabilities(const Decoded& decoded, const Batch& batch,
                                             const SpecialTokens& specials) {
  if (!decoded.framed) {
    return pick(log_softmax(decoded.logits), decoded.compared(batch.target_out)).values();
  }
  std::vector<double> all;
  size_t b = 0;
  for (CtcFrames& frames : ctc_frames(decoded)) {
    const auto own = ctc_word_log_probabilities(
        std::make_shared<const CtcFrames>(std::move(frames)), batch.words_of(b++), specials.end());
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

double PairScore::perplexity() const {
  return tokens == 0 ? 1 : std::exp(-log_probability / static_cast<double>(tokens));
}

void PairScore::add(const PairScore& other) {
  log_probability += other.log_probability;
  tokens += other.tokens;
}

namespace {

std::vector<PairScore> scores_of(const TrainedModel& trained, std::span<const Pair> pairs,
                                 int64_t batch, uint64_t seed) {
  const NoGrad no_grad;
  RequestAllowance allowance(trained);
  const UseAllowance use(allowance);
  std::vector<size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  for (const size_t i : order) {
    const Field& source = *trained.fields.source;
    if (!source.is_none() && source.reading(pairs[i].source).item.empty()) {
      fail(Fault::file, "score: pair {} has an empty source; give text on both sides", i + 1);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return pairs[a].target.size() > pairs[b].target.size();
  });
  std::vector<PairScore> out(pairs.size());
  const auto size = static_cast<size_t>(std::max<int64_t>(batch, 1));
  for (size_t first = 0; first < order.size(); first += size) {
    score_batch(trained, pairs,
                std::span(order).subspan(first, std::min(size, order.size() - first)), seed, out);
  }
  return out;
}

}  // namespace

std::vector<PairScore> score_pairs(const TrainedModel& trained, std::span<const Example> pairs,
                                   int64_t batch, uint64_t seed) {
  std::vector<Pair> all;
  for (const Example& pair : pairs) {
    all.push_back({pair.source, pair.target});
  }
  return scores_of(trained, all, batch, seed);
}

PairScore score_pair(const TrainedModel& trained, const Source& source, const std::string& target) {
  const Pair pair{source, target};
  return scores_of(trained, {&pair, 1}, 1, 1).front();
}

}  // namespace heed
