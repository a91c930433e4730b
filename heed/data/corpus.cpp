#include "heed/data/corpus.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/sha256.h"
#include "heed/text/token_counter.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

bool fits(std::size_t source, std::size_t target, const LengthLimits& limits) {
  const auto s = static_cast<std::int64_t>(source);
  const auto t = static_cast<std::int64_t>(target);
  const auto longer = static_cast<double>(std::max(s, t));
  const auto shorter = static_cast<double>(std::min(s, t));
  return s > 0 && t > 0 && (limits.max_source == 0 || s <= limits.max_source) &&
         (limits.max_target == 0 || t <= limits.max_target) &&
         (limits.max_ratio == 0 || longer <= limits.max_ratio * shorter);
}

VocabularyLimits limits_of(const VocabularyPlan& plan, std::int64_t max_size) {
  return {.max_size = static_cast<std::size_t>(max_size),
          .min_count = static_cast<std::size_t>(plan.min_count),
          .byte_fallback = plan.byte_fallback,
          .character_coverage = plan.character_coverage,
          .normalise = plan.normalise};
}

}  // namespace

VocabularyPair learn_vocabularies(std::span<const Example> examples, const VocabularyPlan& plan) {
  TokenCounter source(tokenisers().make(plan.source));
  if (plan.is_shared) {
    if (plan.source != plan.target) {
      fail(Fault::usage,
           "vocabulary: saw {} for the source and {} for the target, needs one tokeniser to share "
           "a vocabulary; choose one, or share nothing",
           plan.source, plan.target);
    }
    for (const Example& example : examples) {
      source.add(example.source);
      source.add(example.target);
    }
    const auto both = std::make_shared<const Vocabulary>(
        source.learn(limits_of(plan, std::max(plan.max_source, plan.max_target))));
    return {both, both};
  }
  TokenCounter target(tokenisers().make(plan.target));
  for (const Example& example : examples) {
    source.add(example.source);
    target.add(example.target);
  }
  return {std::make_shared<const Vocabulary>(source.learn(limits_of(plan, plan.max_source))),
          std::make_shared<const Vocabulary>(target.learn(limits_of(plan, plan.max_target)))};
}

std::span<const TokenId> Corpus::Side::at(std::int64_t i) const {
  const auto index = static_cast<std::size_t>(i);
  const std::size_t begin = index == 0 ? 0 : ends[index - 1];
  return {ids.data() + begin, ends[index] - begin};
}

void Corpus::Side::add(std::span<const TokenId> sentence) {
  ids.insert(ids.end(), sentence.begin(), sentence.end());
  ends.push_back(ids.size());
}

Corpus::Corpus(std::vector<Example> examples, const VocabularyPair& vocabularies,
               const LengthLimits& limits) {
  for (Example& example : examples) {
    const auto source = vocabularies.source->encode(example.source);
    const auto target = vocabularies.target->encode(example.target);
    if (!fits(source.size(), target.size(), limits)) {
      ++dropped_;
      continue;
    }
    source_.add(source);
    target_.add(target);
    examples_.push_back(std::move(example));
  }
}

TokenPairs Corpus::pairs(std::span<const std::int64_t> which) const {
  TokenPairs pairs;
  for (const std::int64_t i : which) {
    const auto s = source(i);
    const auto t = target(i);
    pairs.source.emplace_back(s.begin(), s.end());
    pairs.target.emplace_back(t.begin(), t.end());
  }
  return pairs;
}

std::string Corpus::hash() const {
  Sha256 hash;
  for (const Side* side : {&source_, &target_}) {
    for (std::int64_t i = 0; i < size(); ++i) {
      const auto ids = side->at(i);
      const auto length = static_cast<std::uint64_t>(ids.size());
      hash.update(&length, sizeof length).update(ids.data(), ids.size_bytes());
    }
  }
  return hash.finish_hex();
}

}  // namespace heed
