#include "heed/data/vocabularies.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/philox.h"
#include "heed/text/token_counter.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

VocabularyLimits limits_of(const VocabularyPlan& plan, std::int64_t max_size) {
  return {.max_size = static_cast<std::size_t>(max_size),
          .min_count = static_cast<std::size_t>(plan.min_count),
          .byte_fallback = plan.byte_fallback,
          .character_coverage = plan.character_coverage,
          .normalise = plan.normalise};
}

/// Calls see(i) for each pair of the sample, i ascending.
template <class See>
void for_sample(std::int64_t count, std::int64_t sample, const See& see) {
  if (sample == 0 || count <= sample) {
    for (std::int64_t i = 0; i < count; ++i) {
      see(i);
    }
    return;
  }
  const Draws draws(RandomKey{0, 0, stream_named("vocabulary sample")});
  const auto start = [&](std::int64_t stretch) {  // ⌊count · stretch / sample⌋
    return count / sample * stretch + count % sample * stretch / sample;
  };
  for (std::int64_t stretch = 0; stretch < sample; ++stretch) {
    const std::int64_t first = start(stretch);
    const auto width = static_cast<std::uint64_t>(start(stretch + 1) - first);
    see(first + static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(stretch), width)));
  }
}

/// `pair(i)` gives the texts of pair i.
template <class Pair>
VocabularyPair learn(std::int64_t count, const Pair& pair, const VocabularyPlan& plan) {
  TokenCounter source(tokenisers().make(plan.source));
  if (plan.is_shared) {
    if (plan.source != plan.target) {
      fail(Fault::usage,
           "vocabulary: saw {} for the source and {} for the target, needs one tokeniser to share "
           "a vocabulary; choose one, or share nothing",
           plan.source, plan.target);
    }
    for_sample(count, plan.sample, [&](std::int64_t i) {
      const auto [one, other] = pair(i);
      source.add(one);
      source.add(other);
    });
    const auto both = std::make_shared<const Vocabulary>(
        source.learn(limits_of(plan, std::max(plan.max_source, plan.max_target))));
    return {both, both};
  }
  TokenCounter target(tokenisers().make(plan.target));
  for_sample(count, plan.sample, [&](std::int64_t i) {
    const auto [one, other] = pair(i);
    source.add(one);
    target.add(other);
  });
  return {std::make_shared<const Vocabulary>(source.learn(limits_of(plan, plan.max_source))),
          std::make_shared<const Vocabulary>(target.learn(limits_of(plan, plan.max_target)))};
}

using Views = std::pair<std::string_view, std::string_view>;

}  // namespace

VocabularyPair learn_vocabularies(const PairTexts& texts, const VocabularyPlan& plan) {
  std::int64_t looked_at = 0;
  const auto pair = [&texts, &looked_at](std::int64_t i) {
    if (++looked_at % 4096 == 0) {
      texts.release();
    }
    return Views(texts.source(i), texts.target(i));
  };
  return learn(texts.size(), pair, plan);
}

VocabularyPair learn_vocabularies(std::span<const Example> examples, const VocabularyPlan& plan) {
  const auto pair = [examples](std::int64_t i) {
    const Example& example = examples[static_cast<std::size_t>(i)];
    return Views(example.source, example.target);
  };
  return learn(static_cast<std::int64_t>(examples.size()), pair, plan);
}

}  // namespace heed
