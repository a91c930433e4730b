// Pairs of sentences as token ids, encoded once: in memory, or on disk where they are more than
// memory may hold.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/batch.h"
#include "heed/data/left_out.h"
#include "heed/data/row.h"
#include "heed/data/spill.h"
#include "heed/data/synth.h"
#include "heed/data/vocabularies.h"

namespace heed {

/// Which pairs to keep, in tokens without </s>; 0 sets no limit, but no side may be empty.
struct LengthLimits {
  std::int64_t min_source = 0;
  std::int64_t max_source = 0;
  std::int64_t min_target = 0;
  std::int64_t max_target = 0;
  double max_ratio = 0;  // of the longer to the shorter side
};

class Corpus {
 public:
  Corpus() = default;
  /// In memory, with the texts. Leaves out pairs with an empty side and those beyond the limits.
  Corpus(std::vector<Example> examples, const VocabularyPair& vocabularies,
         const LengthLimits& limits = {});
  /// The same of rows: each target makes a pair.
  Corpus(std::vector<Row> rows, const VocabularyPair& vocabularies, const LengthLimits& limits = {},
         LeftOut left_out = {});

  std::int64_t size() const { return source_.size(); }
  std::span<const TokenId> source(std::int64_t i) const { return source_.at(i); }
  std::span<const TokenId> target(std::int64_t i) const { return target_.at(i); }
  /// The longer side's tokens, </s> included.
  std::int64_t longest_side(std::int64_t i) const;
  /// The texts, in order, of those rows that some pair is of; none where a CorpusWriter wrote them.
  const std::vector<Row>& rows() const { return rows_; }
  /// Of pair i, where there are texts.
  Example text(std::int64_t i) const;
  const LeftOut& left_out() const { return left_out_; }
  /// How many pairs may be planned and looked at together within the memory allowed.
  std::int64_t window() const { return window_; }
  bool is_on_disk() const { return source_.is_on_disk() || target_.is_on_disk(); }
  /// See SpilledBytes.
  void release() const {
    source_.release();
    target_.release();
  }
  TokenPairs pairs(std::span<const std::int64_t> which) const;
  /// SHA-256 of all ids: equal where two corpora train alike.
  std::string hash() const;

 private:
  friend class CorpusWriter;
  Corpus(const SpillPlace& place, LeftOut left_out)
      : source_(place), target_(place), left_out_(std::move(left_out)) {}
  bool keep(std::span<const TokenId> source, std::span<const TokenId> target,
            const LengthLimits& limits);
  void finish(std::uint64_t memory_bytes);

  Sequences<TokenId> source_;
  Sequences<TokenId> target_;
  struct RowPlace {
    std::size_t row;
    std::size_t target;
  };

  std::vector<Row> rows_;
  std::vector<RowPlace> places_;  // of each pair, where there are texts
  LeftOut left_out_;
  std::int64_t window_ = 0;
};

/// Takes pairs of texts one at a time, encodes them on all cores and keeps their ids alone.
class CorpusWriter {
 public:
  /// Each side may fill the place's memory; the rest goes to disk.
  CorpusWriter(VocabularyPair vocabularies, const LengthLimits& limits,
               const SpillPlace& place = {});

  void add(std::string_view source, std::string_view target);
  /// `left_out` beforehand, by whoever read the texts.
  Corpus finish(const LeftOut& left_out = {});

 private:
  void encode();

  VocabularyPair vocabularies_;
  LengthLimits limits_;
  SpillPlace place_;
  std::vector<Example> waiting_;
  std::size_t count_ = 0;  // of those waiting
  Corpus corpus_;
};

}  // namespace heed
