#include "heed/data/corpus.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "heed/base/sha256.h"
#include "heed/base/thread_pool.h"

namespace heed {
namespace {

/// What is wrong with such lengths; nothing where they may stay.
std::string_view misfit(std::size_t source, std::size_t target, const LengthLimits& limits) {
  const auto s = static_cast<std::int64_t>(source);
  const auto t = static_cast<std::int64_t>(target);
  const auto longer = static_cast<double>(std::max(s, t));
  const auto shorter = static_cast<double>(std::min(s, t));
  if (s == 0 || t == 0) {
    return "with an empty side";
  }
  if (s < limits.min_source || (limits.max_source > 0 && s > limits.max_source)) {
    return s < limits.min_source ? "below min_source" : "beyond max_source";
  }
  if (t < limits.min_target || (limits.max_target > 0 && t > limits.max_target)) {
    return t < limits.min_target ? "below min_target" : "beyond max_target";
  }
  return limits.max_ratio > 0 && longer > limits.max_ratio * shorter ? "beyond max_ratio" : "";
}

std::vector<Row> rows_of(std::vector<Example> examples) {
  std::vector<Row> rows;
  rows.reserve(examples.size());
  for (Example& example : examples) {
    rows.push_back({std::move(example.source), {std::move(example.target)}});
  }
  return rows;
}

/// What a pair costs beside its ids: two ends, its place in the order and in a batch, as vectors
/// grow.
constexpr std::uint64_t planning_bytes = 64;

}  // namespace

Corpus::Corpus(std::vector<Example> examples, const VocabularyPair& vocabularies,
               const LengthLimits& limits)
    : Corpus(rows_of(std::move(examples)), vocabularies, limits) {}

Corpus::Corpus(std::vector<Row> rows, const VocabularyPair& vocabularies,
               const LengthLimits& limits, LeftOut left_out)
    : left_out_(std::move(left_out)) {
  for (Row& row : rows) {
    const auto source = vocabularies.source->encode(row.source);
    bool is_kept = false;
    for (std::size_t i = 0; i < row.targets.size(); ++i) {
      if (keep(source, vocabularies.target->encode(row.targets[i]), limits)) {
        places_.push_back({rows_.size(), i});
        is_kept = true;
      }
    }
    if (is_kept) {
      rows_.push_back(std::move(row));
    }
  }
  finish(std::numeric_limits<std::uint64_t>::max());
}

bool Corpus::keep(std::span<const TokenId> source, std::span<const TokenId> target,
                  const LengthLimits& limits) {
  const std::string_view wrong = misfit(source.size(), target.size(), limits);
  if (!wrong.empty()) {
    left_out_.add(wrong);
    return false;
  }
  source_.add(source);
  target_.add(target);
  return true;
}

void Corpus::finish(std::uint64_t memory_bytes) {
  source_.finish();
  target_.finish();
  const auto count = static_cast<std::uint64_t>(size());
  const std::uint64_t ids = (source_.items() + target_.items()) * sizeof(TokenId);
  const std::uint64_t each = planning_bytes + (count == 0 ? 0 : ids / count);
  window_ =
      static_cast<std::int64_t>(std::min(count, std::max<std::uint64_t>(1, memory_bytes / each)));
}

std::int64_t Corpus::longest_side(std::int64_t i) const {
  return static_cast<std::int64_t>(std::max(source_.length(i), target_.length(i))) + 1;
}

Example Corpus::text(std::int64_t i) const {
  const RowPlace& place = places_[static_cast<std::size_t>(i)];
  return {rows_[place.row].source, rows_[place.row].targets[place.target]};
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
  for (const Sequences<TokenId>* side : {&source_, &target_}) {
    for (std::int64_t i = 0; i < size(); ++i) {
      const auto ids = side->at(i);
      const auto length = static_cast<std::uint64_t>(ids.size());
      hash.update(&length, sizeof length).update(ids.data(), ids.size_bytes());
      if (i % 65536 == 0) {
        release();
      }
    }
    release();
  }
  return hash.finish_hex();
}

CorpusWriter::CorpusWriter(VocabularyPair vocabularies, const LengthLimits& limits,
                           const SpillPlace& place)
    : vocabularies_(std::move(vocabularies)), limits_(limits), place_(place), corpus_(place, {}) {
  constexpr std::size_t together = 4096;
  waiting_.resize(together);
}

void CorpusWriter::add(std::string_view source, std::string_view target) {
  waiting_[count_].source = source;
  waiting_[count_].target = target;
  if (++count_ == waiting_.size()) {
    encode();
  }
}

void CorpusWriter::encode() {
  struct Ids {
    std::vector<TokenId> source;
    std::vector<TokenId> target;
  };
  std::vector<Ids> encoded(count_);
  constexpr std::size_t chunk = 64;
  const std::size_t chunks = (count_ + chunk - 1) / chunk;
  parallel_for(static_cast<std::int64_t>(chunks), [&](std::int64_t at) {
    const std::size_t first = static_cast<std::size_t>(at) * chunk;
    for (std::size_t i = first; i < std::min(first + chunk, count_); ++i) {
      encoded[i] = {vocabularies_.source->encode(waiting_[i].source),
                    vocabularies_.target->encode(waiting_[i].target)};
    }
  });
  for (const Ids& ids : encoded) {
    corpus_.keep(ids.source, ids.target, limits_);
  }
  count_ = 0;
}

Corpus CorpusWriter::finish(const LeftOut& left_out) {
  encode();
  LeftOut all = left_out;
  all.add(corpus_.left_out_);
  corpus_.left_out_ = std::move(all);
  // Both sides together; not to overflow where there is no bound.
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 2;
  corpus_.finish(2 * std::min(place_.memory_bytes, most));
  return std::move(corpus_);
}

}  // namespace heed
