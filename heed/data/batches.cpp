#include "heed/data/batches.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/philox.h"
#include "heed/base/shuffle.h"
#include "heed/config/limits.h"

namespace heed {
namespace {

void sort_by_length(std::span<std::int64_t> examples, const Corpus& corpus) {
  const auto key = [&corpus](std::int64_t i) {
    return std::pair(corpus.longest_side(i), corpus.target_length(i));
  };
  std::stable_sort(examples.begin(), examples.end(),
                   [&key](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
}

/// Cuts `examples`, in order, into batches that are as full as the options allow but never empty.
void cut(std::span<const std::int64_t> examples, const Corpus& corpus, const BatchOptions& options,
         std::vector<std::vector<std::int64_t>>& batches) {
  std::vector<std::int64_t> batch;
  std::int64_t longest = 0;
  for (const std::int64_t i : examples) {
    const std::int64_t longer = std::max(longest, corpus.longest_side(i));
    const auto count = static_cast<std::int64_t>(batch.size()) + 1;
    const bool is_full = (options.sentences > 0 && count > options.sentences) ||
                         (options.tokens > 0 && count * longer > options.tokens);
    if (is_full && !batch.empty()) {
      batches.push_back(std::exchange(batch, {}));
      longest = 0;
    }
    longest = std::max(longest, corpus.longest_side(i));
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
      tokens += corpus.longest_side(i);
    }
    const std::int64_t fitting = std::max<std::int64_t>(1, options.tokens * corpus.size() / tokens);
    sentences = sentences > 0 ? std::min(sentences, fitting) : fitting;
  }
  // More than all sentences makes no difference, and the product stays small.
  return std::clamp<std::int64_t>(sentences, 1, corpus.size()) *
         std::clamp<std::int64_t>(options.pool, 1, corpus.size());
}

constexpr std::int64_t blocks_in_window = 64;
constexpr std::int64_t any_length = std::numeric_limits<std::int64_t>::max();

}  // namespace

void BatchOptions::describe(Describer& d) {
  d.setting("batch_sentences", sentences,
            {.help = "most sentences in a batch; 0: no limit", .least = 0, .most = most_examples});
  d.setting("batch_tokens", tokens,
            {.help = "most tokens in a batch, with padding; 0: no limit",
             .least = 0,
             .most = most_examples});
  d.setting("pool", pool,
            {.help = "batches whose sentences are sorted by length together; 1: not sorted",
             .least = 1,
             .most = 1e6});
  d.setting("prefetch_threads", threads,
            {.help = "threads that prepare batches; results do not depend on it",
             .least = 1,
             .most = 256});
  d.child("curriculum", curriculum);
}

Batches::Batches(const Corpus& corpus, const BatchOptions& options)
    : corpus_(corpus), options_(options) {
  if (corpus.size() == 0) {
    fail(Fault::usage,
         "batches: there are no sentence pairs{} to train on; give data or widen the length limits",
         corpus.left_out().count() == 0
             ? ""
             : fmt::format(" but those left out ({})", corpus.left_out().sentence()));
  }
  if (options.sentences <= 0 && options.tokens <= 0) {
    fail(Fault::usage,
         "batches: nothing says how large a batch is; set a number of sentences or of tokens");
  }
  pool_ = pool_size(corpus, options);
  block_ = corpus.size();
  if (corpus.window() < corpus.size()) {
    block_ = std::max<std::int64_t>(1, corpus.window() / blocks_in_window);
    window_blocks_ = std::max<std::int64_t>(1, corpus.window() / block_);
    blocks_ = (corpus.size() + block_ - 1) / block_;
    windows_ = (blocks_ + window_blocks_ - 1) / window_blocks_;
  }
  for (std::int64_t i = 0; options.curriculum.steps > 0 && i < corpus.size(); ++i) {
    lengths_.push_back(corpus.longest_side(i));
  }
  std::sort(lengths_.begin(), lengths_.end());
}

/// How long an example of a window may be: the share of the curriculum at the window's first step. Windows that are not
/// counted come after its end.
std::int64_t Batches::longest_in(std::int64_t window) const {
  const auto at = static_cast<std::size_t>(window);
  const double share = at < starts_.size() ? options_.curriculum.share(starts_[at]) : 1;
  if (share >= 1) {
    return any_length;
  }
  const double count = std::ceil(share * static_cast<double>(lengths_.size()));
  return lengths_[static_cast<std::size_t>(std::max(1.0, count)) - 1];
}

std::span<const std::size_t> Batches::blocks_of(std::int64_t window) {
  const std::int64_t epoch = window / windows_;
  if (ordered_ != epoch) {
    block_order_ =
        shuffled_order(static_cast<std::size_t>(blocks_), options_.seed ^ stream_named("blocks"),
                       static_cast<std::uint64_t>(epoch));
    ordered_ = epoch;
  }
  const std::int64_t first = window % windows_ * window_blocks_;
  const std::int64_t count = std::min(window_blocks_, blocks_ - first);
  return std::span(block_order_)
      .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

std::int64_t Batches::examples_in(std::int64_t window) {
  if (longest_in(window) < any_length) {
    return static_cast<std::int64_t>(examples_of(window).size());
  }
  std::int64_t count = 0;
  for (const std::size_t block : blocks_of(window)) {
    count += std::min(block_, corpus_.size() - static_cast<std::int64_t>(block) * block_);
  }
  return count;
}

/// The examples of a window, in the order of the files, one block behind the other.
std::vector<std::int64_t> Batches::examples_of(std::int64_t window) {
  const std::int64_t longest = longest_in(window);
  std::vector<std::int64_t> examples;
  for (const std::size_t block : blocks_of(window)) {
    const std::int64_t first = static_cast<std::int64_t>(block) * block_;
    for (std::int64_t i = first; i < std::min(first + block_, corpus_.size()); ++i) {
      if (longest == any_length || corpus_.longest_side(i) <= longest) {
        examples.push_back(i);
      }
    }
  }
  return examples;
}

Batches::Plan Batches::plan(std::int64_t window) {
  corpus_.release();  // memory of the previous window
  const auto at = static_cast<std::uint64_t>(window);
  const std::vector<std::int64_t> neighbours = examples_of(window);
  std::vector<std::int64_t> examples;
  examples.reserve(neighbours.size());
  for (const std::size_t i : shuffled_order(neighbours.size(), options_.seed, at)) {
    examples.push_back(neighbours[i]);
  }
  const auto pool = static_cast<std::size_t>(pool_);
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
       shuffled_order(batches.size(), options_.seed ^ stream_named("batches"), at)) {
    shuffled.push_back(std::move(batches[i]));
  }
  return shuffled;
}

/// If only sentences are limited, the number of batches follows from the number of sentences,
/// because pools hold whole batches. If tokens are limited, the batches are made to be counted.
std::int64_t Batches::batches_in(std::int64_t window) {
  if (options_.tokens == 0) {
    const std::int64_t count = examples_in(window);
    return count == 0 ? 0 : (count - 1) / options_.sentences + 1;
  }
  plan_ = plan(window);
  planned_ = window;
  return static_cast<std::int64_t>(plan_.size());
}

/// One window whose sentences alone are counted has the same number of batches in every epoch behind
/// the curriculum. Other windows are counted one after the other.
Batches::Spot Batches::spot_of(std::int64_t step) {
  require(step >= 0, "batches: saw step {}, needs 0 or more; count from 0", step);
  while (step >= starts_.back()) {
    const auto window = static_cast<std::int64_t>(starts_.size()) - 1;
    const std::int64_t count = batches_in(window);
    if (windows_ == 1 && options_.tokens == 0 && starts_.back() >= options_.curriculum.steps) {
      const std::int64_t behind = step - starts_.back();
      return {window + behind / count, behind % count};
    }
    starts_.push_back(starts_.back() + count);
  }
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), step);
  return {next - starts_.begin() - 1, step - *std::prev(next)};
}

std::int64_t Batches::in_whole_epoch() const {
  BatchOptions options = options_;
  options.curriculum.steps = 0;
  Batches whole(corpus_, options);
  std::int64_t count = 0;
  for (std::int64_t window = 0; window < windows_; ++window) {
    count += whole.batches_in(window);
  }
  return count;
}

std::vector<std::int64_t> Batches::at(std::int64_t step) {
  const Spot spot = spot_of(step);
  if (planned_ != spot.window) {
    plan_ = plan(spot.window);
    planned_ = spot.window;
  }
  return plan_[static_cast<std::size_t>(spot.batch)];
}

std::int64_t Batches::epoch_of(std::int64_t step) { return spot_of(step).window / windows_; }

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
