#include "heed/data/corpus.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "heed/base/sha256.h"
#include "heed/base/thread_pool.h"
#include "heed/config/limits.h"

namespace heed {
namespace {

/// Why an example of these lengths is left out; empty where it is kept.
std::string_view misfit(std::int64_t s, std::int64_t t, const LengthLimits& limits) {
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

/// The memory of an example besides its items: two ends, its entries in the order and in a batch,
/// and the slack of growing vectors.
constexpr std::uint64_t planning_bytes = 64;

}  // namespace

void LengthLimits::describe(Describer& d) {
  d.setting("min_source", min_source,
            {.help = "shorter sources (in tokens) are left out", .least = 0, .most = most_slots});
  d.setting("max_source", max_source,
            {.help = "longer sources are left out; 0: no limit", .least = 0, .most = most_slots});
  d.setting("min_target", min_target,
            {.help = "shorter targets are left out", .least = 0, .most = most_slots});
  d.setting("max_target", max_target,
            {.help = "longer targets are left out; 0: no limit", .least = 0, .most = most_slots});
  d.setting("max_ratio", max_ratio,
            {.help = "pairs whose longer side has more than this many times the tokens of the "
                     "shorter are left out; 0: no limit",
             .least = 0});
}

Corpus::Corpus(std::vector<Example> examples, const Fields& fields, const LengthLimits& limits)
    : Corpus(rows_of(std::move(examples)), fields, limits) {}

Corpus::Corpus(std::vector<Row> rows, const Fields& fields, const LengthLimits& limits,
               LeftOut left_out)
    : fields_(fields), left_out_(std::move(left_out)) {
  for (Row& row : rows) {
    const Item source = fields_.source->read(row.source);
    bool is_kept = false;
    for (std::size_t i = 0; i < row.targets.size(); ++i) {
      if (keep(source, fields_.target->read(row.targets[i]), limits)) {
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

bool Corpus::keep(ItemView source, ItemView target, const LengthLimits& limits) {
  const std::int64_t written = fields_.target->length(target);
  LengthLimits bounds = limits;
  if (fields_.source->is_none()) {  // the limits then apply to the target only
    bounds.min_source = bounds.max_source = 0;
  }
  const std::int64_t read = fields_.source->is_none() ? written : fields_.source->length(source);
  const std::string_view wrong = misfit(read, written, bounds);
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
  const std::uint64_t bytes = source_.items() + target_.items();
  const std::uint64_t each = planning_bytes + (count == 0 ? 0 : bytes / count);
  window_ =
      static_cast<std::int64_t>(std::min(count, std::max<std::uint64_t>(1, memory_bytes / each)));
}

std::int64_t Corpus::longest_side(std::int64_t i) const {
  return std::max(fields_.source->rows(source(i)), fields_.target->rows(target(i)));
}

Example Corpus::text(std::int64_t i) const {
  const RowPlace& place = places_[static_cast<std::size_t>(i)];
  return {rows_[place.row].source, rows_[place.row].targets[place.target]};
}

BatchItems Corpus::items(std::span<const std::int64_t> which,
                         const std::optional<EpochKey>& key) const {
  BatchItems items{fields_, {}, {}};
  for (const std::int64_t i : which) {
    std::optional<RandomKey> draws;
    if (key) {
      draws = RandomKey{.seed = key->seed ^ stream_named("augmentation"),
                        .step = static_cast<std::uint64_t>(key->epoch),
                        .stream = static_cast<std::uint64_t>(i)};
    }
    items.source.push_back(fields_.source->prepared(source(i), draws));
    items.target.push_back(fields_.target->prepared(target(i), std::nullopt));
  }
  return items;
}

std::string Corpus::hash() const {
  Sha256 hash;
  for (const auto& [field, side] :
       {std::pair(fields_.source, &source_), std::pair(fields_.target, &target_)}) {
    for (std::int64_t i = 0; i < size(); ++i) {
      const ItemView item = side->at(i);
      const auto length = static_cast<std::uint64_t>(field->length(item));
      hash.update(&length, sizeof length).update(item.data(), item.size());
      if (i % 65536 == 0) {
        release();
      }
    }
    release();
  }
  return hash.finish_hex();
}

CorpusWriter::CorpusWriter(Fields fields, const LengthLimits& limits, const SpillPlace& place)
    : limits_(limits), place_(place), corpus_(std::move(fields), place) {
  constexpr std::size_t together = 4096;
  waiting_.resize(together);
}

void CorpusWriter::add(std::string_view source, std::string_view target) {
  waiting_[count_].source = source;
  waiting_[count_].target = target;
  if (++count_ == waiting_.size()) {
    read_waiting();
  }
}

void CorpusWriter::read_waiting() {
  struct Both {
    Item source;
    Item target;
  };
  std::vector<Both> items(count_);
  const Fields& fields = corpus_.fields();
  constexpr std::size_t chunk = 64;
  const std::size_t chunks = (count_ + chunk - 1) / chunk;
  parallel_for(static_cast<std::int64_t>(chunks), [&](std::int64_t at) {
    const std::size_t first = static_cast<std::size_t>(at) * chunk;
    for (std::size_t i = first; i < std::min(first + chunk, count_); ++i) {
      items[i] = {fields.source->read(waiting_[i].source), fields.target->read(waiting_[i].target)};
    }
  });
  for (const Both& both : items) {
    corpus_.keep(both.source, both.target, limits_);
  }
  count_ = 0;
}

Corpus CorpusWriter::finish(const LeftOut& left_out) {
  read_waiting();
  LeftOut all = left_out;
  all.add(corpus_.left_out_);
  corpus_.left_out_ = std::move(all);
  // The memory of both sides; the minimum keeps it from overflowing where there is no limit.
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 2;
  corpus_.finish(2 * std::min(place_.memory_bytes, most));
  return std::move(corpus_);
}

}  // namespace heed
