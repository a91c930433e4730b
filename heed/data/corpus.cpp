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

struct SourceRead {
  Item item;
  bool is_damaged = false;
};

SourceRead read_source(const Field& field, std::string_view cell, const LengthLimits& limits) {
  try {
    Item item = field.read(cell);
    field.verify(item);
    return {std::move(item), false};
  } catch (const Error& error) {
    if (error.fault() != Fault::file || !limits.skips_damaged) {
      throw;
    }
    return {{}, true};
  }
}

constexpr std::string_view damaged = "with a damaged source";

/// In a run there is nobody who would skip a damaged source, so the error says how to find it before.
Item prepared_source(const Field& field, ItemView item, const std::optional<RandomKey>& draws) {
  try {
    return field.prepared(item, draws);
  } catch (const Error& error) {
    if (error.fault() != Fault::file || field.verifies()) {
      throw;
    }
    fail(Fault::file,
         "{}; data.source.verify = true finds damaged sources before a run, and data.skip = "
         "[\"damaged\"] then leaves them out",
         error.what());
  }
}

/// Items of tokens are small and quickly made. Of others, such as pictures, fewer are held at once.
bool has_small_items(const Field& field) { return field.has_tokens() || field.is_none(); }

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
             .least = 0,
             .most = most_factor});
}

Corpus::Corpus(std::vector<Example> examples, const Fields& fields, const LengthLimits& limits)
    : Corpus(rows_of(std::move(examples)), fields, limits) {}

Corpus::Corpus(std::vector<Row> rows, const Fields& fields, const LengthLimits& limits,
               LeftOut left_out)
    : fields_(fields), left_out_(std::move(left_out)) {
  for (Row& row : rows) {
    const SourceRead source = read_source(*fields_.source, row.source, limits);
    if (source.is_damaged) {
      left_out_.add(damaged, static_cast<std::int64_t>(row.targets.size()), row.source);
      continue;
    }
    bool is_kept = false;
    for (std::size_t i = 0; i < row.targets.size(); ++i) {
      if (keep(source.item, fields_.target->read(row.targets[i]), limits, is_kept)) {
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

bool Corpus::keep(ItemView source, ItemView target, const LengthLimits& limits, bool is_stored) {
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
  if (is_stored) {
    source_.add_again();
  } else {
    source_.add(source);
  }
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
  BatchItems items{fields_, {}, {}, {which.begin(), which.end()}};
  for (const std::int64_t i : which) {
    std::optional<RandomKey> draws;
    if (key) {
      draws = RandomKey{.seed = key->seed ^ stream_named("augmentation"),
                        .step = static_cast<std::uint64_t>(key->epoch),
                        .stream = static_cast<std::uint64_t>(i)};
    }
    items.source.push_back(prepared_source(*fields_.source, source(i), draws));
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
      const ItemView hashed = field->hashed(item);
      hash.update(&length, sizeof length).update(hashed.data(), hashed.size());
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
  waiting_.resize(has_small_items(*corpus_.fields().source) ? 4096 : 64);
}

void CorpusWriter::add(std::string_view source, std::string_view target) {
  waiting_[count_].source = source;
  waiting_[count_].target = target;
  if (++count_ == waiting_.size()) {
    read_waiting();
  }
}

/// Where the parts begin that one thread reads at a time, and the end of the last. Examples of one
/// source are in one part, unless there are very many.
std::vector<std::size_t> CorpusWriter::chunks_of_waiting() const {
  const std::size_t chunk = has_small_items(*corpus_.fields().source) ? 64 : 1;
  const std::size_t most = chunk + 64;
  std::vector<std::size_t> starts = {0};
  for (std::size_t i = 1; i < count_; ++i) {
    const std::size_t size = i - starts.back();
    if (size >= most || (size >= chunk && waiting_[i].source != waiting_[i - 1].source)) {
      starts.push_back(i);
    }
  }
  starts.push_back(count_);
  return starts;
}

void CorpusWriter::read_waiting() {
  struct ExampleRead {
    SourceRead source;
    bool has_own_source = true;  // if not, it has that of the example before it
    Item target;
  };
  std::vector<ExampleRead> all(count_);
  const Fields& fields = corpus_.fields();
  const std::vector<std::size_t> starts = chunks_of_waiting();
  parallel_for(static_cast<std::int64_t>(starts.size()) - 1, [&](std::int64_t chunk) {
    const std::size_t first = starts[static_cast<std::size_t>(chunk)];
    for (std::size_t i = first; i < starts[static_cast<std::size_t>(chunk) + 1]; ++i) {
      all[i].has_own_source = i == first || waiting_[i].source != waiting_[i - 1].source;
      if (all[i].has_own_source) {
        all[i].source = read_source(*fields.source, waiting_[i].source, limits_);
      }
      all[i].target = fields.target->read(waiting_[i].target);
    }
  });
  std::size_t source = 0;
  bool is_stored = false;
  for (std::size_t i = 0; i < count_; ++i) {
    if (all[i].has_own_source) {
      source = i;
      is_stored = false;
    }
    if (all[source].source.is_damaged) {
      corpus_.left_out_.add(damaged, 1, waiting_[i].source);
    } else if (corpus_.keep(all[source].source.item, all[i].target, limits_, is_stored)) {
      is_stored = true;
    }
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
