#include "heed/data/learn_fields.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/philox.h"
#include "heed/text/token_counter.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

VocabularyLimits limits_of(const VocabularyPlan& plan, std::int64_t max_size,
                           const std::vector<Special>& also) {
  return {.max_size = static_cast<std::size_t>(max_size),
          .min_count = static_cast<std::size_t>(plan.min_count),
          .also = also,
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

using Views = std::pair<std::string_view, std::string_view>;

std::shared_ptr<const Vocabulary> learnt(TokenCounter& counter, const VocabularyLimits& limits) {
  return std::make_shared<const Vocabulary>(counter.learn(limits));
}

/// One vocabulary of both sides. `pair(i)` gives the texts of example i.
template <class Pair>
void learn_shared(const Fields& fields, std::int64_t count, const Pair& pair,
                  const VocabularyPlan& plan) {
  if (plan.source != plan.target) {
    fail(Fault::usage,
         "vocabulary: the source has {} and the target {}, and only one tokeniser can share a "
         "vocabulary; choose one, or share nothing",
         plan.source, plan.target);
  }
  if (!fields.source->has_tokens()) {
    fail(Fault::usage,
         "vocabulary: a source of {} has no tokens to share a vocabulary with; share nothing",
         fields.source->kind());
  }
  TokenCounter counter(tokenisers().make(plan.source));
  for_sample(count, plan.sample, [&](std::int64_t i) {
    const auto [one, other] = pair(i);
    counter.add(one);
    counter.add(other);
  });
  fields.source->set_vocabulary(learnt(
      counter, limits_of(plan, std::max(plan.max_source, plan.max_target), plan.target_specials)));
  fields.target->set_vocabulary(fields.source->shared_vocabulary());
}

template <class Pair>
Fields learn(Fields fields, std::int64_t count, const Pair& pair, const VocabularyPlan& plan) {
  if (plan.is_shared) {
    learn_shared(fields, count, pair, plan);
    return fields;
  }
  TokenCounter source(tokenisers().make(plan.source));
  TokenCounter target(tokenisers().make(plan.target));
  const bool reads_tokens = fields.source->has_tokens();
  for_sample(count, plan.sample, [&](std::int64_t i) {
    const auto [one, other] = pair(i);
    if (reads_tokens) {
      source.add(one);
    }
    target.add(other);
  });
  if (reads_tokens) {
    fields.source->set_vocabulary(learnt(source, limits_of(plan, plan.max_source, {})));
  }
  fields.target->set_vocabulary(
      learnt(target, limits_of(plan, plan.max_target, plan.target_specials)));
  return fields;
}

}  // namespace

Fields learn_fields(Fields fields, const Cells& cells, const VocabularyPlan& plan) {
  std::int64_t looked_at = 0;
  const auto pair = [&cells, &looked_at](std::int64_t i) {
    if (++looked_at % 4096 == 0) {
      cells.release();
    }
    return Views(cells.source(i), cells.target(i));
  };
  return learn(std::move(fields), cells.size(), pair, plan);
}

Fields learn_fields(std::span<const Example> examples, const VocabularyPlan& plan) {
  const auto pair = [examples](std::int64_t i) {
    const Example& example = examples[static_cast<std::size_t>(i)];
    return Views(example.source, example.target);
  };
  return learn(FieldChoice().made(), static_cast<std::int64_t>(examples.size()), pair, plan);
}

}  // namespace heed
