// Examples as the items of their fields, read once. They are in memory, or on disk where they
// exceed the memory allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/config/described.h"
#include "heed/data/batch.h"
#include "heed/data/example.h"
#include "heed/data/left_out.h"
#include "heed/data/row.h"
#include "heed/data/spill.h"

namespace heed {

/// Which examples to keep, in the units of their fields (tokens without </s>, frames). 0 means no
/// limit. Examples with an empty side are never kept.
struct LengthLimits {
  /// Lists the settings for their owner.
  void describe(Describer& d);

  std::int64_t min_source = 0;
  std::int64_t max_source = 0;
  std::int64_t min_target = 0;
  std::int64_t max_target = 0;
  double max_ratio = 0;  // longer side / shorter side
  /// Not described: whether examples whose source cannot be read are left out and counted, instead
  /// of an Error.
  bool skips_damaged = false;
};

/// The key of augmentation, together with the example's number.
struct EpochKey {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
};

class Corpus {
 public:
  Corpus() = default;
  /// In memory, with the cells. Leaves out examples with an empty side and those outside the
  /// limits.
  Corpus(std::vector<Example> examples, const Fields& fields, const LengthLimits& limits = {});
  /// The same from rows; each target makes an example.
  Corpus(std::vector<Row> rows, const Fields& fields, const LengthLimits& limits = {},
         LeftOut left_out = {});

  const Fields& fields() const { return fields_; }
  std::int64_t size() const { return source_.size(); }
  ItemView source(std::int64_t i) const { return source_.at(i); }
  ItemView target(std::int64_t i) const { return target_.at(i); }
  /// The number of rows in a batch of the longer side.
  std::int64_t longest_side(std::int64_t i) const;
  std::int64_t target_length(std::int64_t i) const { return fields_.target->length(target(i)); }
  /// The cells, in order, of those rows that examples were made from; empty where a CorpusWriter
  /// made the corpus.
  const std::vector<Row>& rows() const { return rows_; }
  /// The cells of example i, where the corpus has cells.
  Example text(std::int64_t i) const;
  const LeftOut& left_out() const { return left_out_; }
  /// How many examples can be planned and read together within the memory allowed.
  std::int64_t window() const { return window_; }
  bool is_on_disk() const { return source_.is_on_disk() || target_.is_on_disk(); }
  /// See SpilledBytes.
  void release() const {
    source_.release();
    target_.release();
  }
  /// These examples, prepared for a batch. With a key, the source's field may change them at
  /// random. Safe to call from several threads.
  BatchItems items(std::span<const std::int64_t> which,
                   const std::optional<EpochKey>& key = std::nullopt) const;
  /// The SHA-256 of all items: corpora with equal hashes train the same model.
  std::string hash() const;

 private:
  friend class CorpusWriter;
  Corpus(Fields fields, const SpillPlace& place)
      : fields_(std::move(fields)), source_(place), target_(place) {}
  /// Keeps an example that is within the limits and says whether it was. `is_stored` says that the
  /// source is the one stored last, so that the examples of one source share it.
  bool keep(ItemView source, ItemView target, const LengthLimits& limits, bool is_stored);
  void finish(std::uint64_t memory_bytes);

  Fields fields_;
  Sequences<std::byte> source_;
  Sequences<std::byte> target_;
  struct RowPlace {
    std::size_t row;
    std::size_t target;
  };

  std::vector<Row> rows_;
  std::vector<RowPlace> places_;  // the row and target of each example, where there are cells
  LeftOut left_out_;
  std::int64_t window_ = 0;
};

/// Takes the cells of examples one at a time, reads them on all cores and keeps only their items.
/// Where neighbours have the same source (the captions of a picture), it is read and kept once.
class CorpusWriter {
 public:
  /// Each side may fill the memory that `place` allows; the rest goes to disk.
  CorpusWriter(Fields fields, const LengthLimits& limits, const SpillPlace& place = {});

  void add(std::string_view source, std::string_view target);
  /// `left_out` counts what the reader of the cells left out.
  Corpus finish(const LeftOut& left_out = {});

 private:
  void read_waiting();
  std::vector<std::size_t> chunks_of_waiting() const;

  LengthLimits limits_;
  SpillPlace place_;
  std::vector<Example> waiting_;
  std::size_t count_ = 0;  // of waiting examples
  Corpus corpus_;
};

}  // namespace heed
