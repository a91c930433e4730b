#include "heed/data/batches.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/philox.h"
#include "heed/base/shuffle.h"

namespace heed {
namespace {

std::int64_t longest_side(const Corpus& corpus, std::int64_t i) {
  return static_cast<std::int64_t>(std::max(corpus.source(i).size(), corpus.target(i).size())) + 1;
}

void sort_by_length(std::span<std::int64_t> examples, const Corpus& corpus) {
  const auto key = [&corpus](std::int64_t i) {
    return std::pair(longest_side(corpus, i), corpus.target(i).size());
  };
  std::stable_sort(examples.begin(), examples.end(),
                   [&key](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
}

/// Cuts `examples` in order, each batch as full as the options allow but never empty.
void cut(std::span<const std::int64_t> examples, const Corpus& corpus, const BatchOptions& options,
         std::vector<std::vector<std::int64_t>>& batches) {
  std::vector<std::int64_t> batch;
  std::int64_t longest = 0;
  for (const std::int64_t i : examples) {
    const std::int64_t longer = std::max(longest, longest_side(corpus, i));
    const auto count = static_cast<std::int64_t>(batch.size()) + 1;
    const bool is_full = (options.sentences > 0 && count > options.sentences) ||
                         (options.tokens > 0 && count * longer > options.tokens);
    if (is_full && !batch.empty()) {
      batches.push_back(std::exchange(batch, {}));
      longest = 0;
    }
    longest = std::max(longest, longest_side(corpus, i));
    batch.push_back(i);
  }
  if (!batch.empty()) {
    batches.push_back(std::move(batch));
  }
}

/// How many sentences a pool holds.
std::int64_t pool_size(const Corpus& corpus, const BatchOptions& options) {
  std::int64_t sentences = options.sentences;
  if (options.tokens > 0) {
    std::int64_t tokens = 0;
    for (std::int64_t i = 0; i < corpus.size(); ++i) {
      tokens += longest_side(corpus, i);
    }
    const std::int64_t fitting = std::max<std::int64_t>(1, options.tokens * corpus.size() / tokens);
    sentences = sentences > 0 ? std::min(sentences, fitting) : fitting;
  }
  return std::max<std::int64_t>(1, sentences) * std::max<std::int64_t>(1, options.pool);
}

}  // namespace

Batches::Batches(const Corpus& corpus, const BatchOptions& options)
    : corpus_(corpus), options_(options) {
  if (corpus.size() == 0) {
    fail(Fault::usage,
         "batches: saw no sentence pairs ({} were left out as empty or too long), needs some; "
         "give data or widen the length limits",
         corpus.dropped());
  }
  if (options.sentences <= 0 && options.tokens <= 0) {
    fail(Fault::usage, "batches: saw no limit, needs sentences or tokens in a batch; set one");
  }
}

Batches::Plan Batches::plan(std::int64_t epoch) const {
  const auto at = static_cast<std::uint64_t>(epoch);
  const auto order = shuffled_order(static_cast<std::size_t>(corpus_.size()), options_.seed, at);
  std::vector<std::int64_t> examples(order.begin(), order.end());
  const auto pool = static_cast<std::size_t>(pool_size(corpus_, options_));
  Plan batches;
  for (std::size_t begin = 0; begin < examples.size(); begin += pool) {
    const std::span<std::int64_t> some(examples.data() + begin,
                                       std::min(pool, examples.size() - begin));
    if (options_.pool > 1) {
      sort_by_length(some, corpus_);
    }
    cut(some, corpus_, options_, batches);
  }
  Plan shuffled;
  shuffled.reserve(batches.size());
  for (const std::size_t i :
       shuffled_order(batches.size(), options_.seed ^ place_named("batches"), at)) {
    shuffled.push_back(std::move(batches[i]));
  }
  return shuffled;
}

std::vector<std::int64_t> Batches::at(std::int64_t step) {
  const std::int64_t epoch = epoch_of(step);
  if (planned_ != epoch) {
    plan_ = plan(epoch);
    planned_ = epoch;
  }
  return plan_[static_cast<std::size_t>(step - starts_[static_cast<std::size_t>(epoch)])];
}

std::int64_t Batches::epoch_of(std::int64_t step) {
  require(step >= 0, "batches: saw step {}, needs 0 or more; count from 0", step);
  // Only by tokens does the number of batches differ from epoch to epoch: then it must be counted.
  while (step >= starts_.back()) {
    if (starts_.size() == 1 || options_.tokens > 0) {
      planned_ = static_cast<std::int64_t>(starts_.size()) - 1;
      plan_ = plan(planned_);
    }
    starts_.push_back(starts_.back() + static_cast<std::int64_t>(plan_.size()));
  }
  return std::upper_bound(starts_.begin(), starts_.end(), step) - starts_.begin() - 1;
}

std::vector<std::vector<std::int64_t>> sorted_batches(const Corpus& corpus,
                                                      const BatchOptions& options) {
  std::vector<std::int64_t> examples(static_cast<std::size_t>(corpus.size()));
  std::iota(examples.begin(), examples.end(), std::int64_t{0});
  sort_by_length(examples, corpus);
  std::vector<std::vector<std::int64_t>> batches;
  cut(examples, corpus, options, batches);
  return batches;
}

}  // namespace heed
