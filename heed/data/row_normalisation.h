// How rows of features are brought to a common scale: over what the mean and the deviation of each
// number are taken.
//
//   recording   over its own rows
//   speaker     over all recordings of the same speaker that a table names; the last column of the cell
//               is the speaker. A recording without a speaker, or of one that no table named, is
//               normalised over its own rows.
//   corpus      over the training data; the numbers are kept with the model, in `statistics`
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/config/described.h"
#include "heed/data/field_rows.h"
#include "heed/media/frame_scale.h"

namespace heed {

enum class NormOver { recording, speaker, corpus };

class RowNormalisation {
 public:
  /// The rows of a cell before they are normalised.
  using RowsOf = std::function<std::vector<float>(std::string_view cell)>;

  /// Lists the settings for their owner.
  void describe(Describer& d);

  /// Whether the last column of a cell is the speaker.
  bool reads_speaker() const { return norm_ != FrameNorm::none && over_ == NormOver::speaker; }
  bool reads_corpus() const { return norm_ != FrameNorm::none && over_ == NormOver::corpus; }
  /// What is done over a recording alone, where nothing else is known to normalise it by.
  FrameNorm over_recording() const { return reads_corpus() ? FrameNorm::none : norm_; }

  /// Takes the statistics of a corpus from cells of its training data, from at most 5000, evenly spread.
  void learn(std::span<const std::string> cells, int64_t width, const RowsOf& rows_of);
  /// Takes the statistics of every speaker that these cells name.
  void meet(std::span<const std::string> cells, int64_t width, const RowsOf& rows_of) const;
  /// What was learnt from a corpus, as the setting `statistics` has it.
  const std::string& learnt() const { return statistics_; }
  void set_learnt(const std::string& statistics) { statistics_ = statistics; }

  /// By what rows of this speaker are normalised; nothing if by themselves, or not at all. Fault::usage
  /// if nothing was learnt from the corpus.
  std::optional<FrameScale> scale(std::string_view speaker, int64_t width) const;
  /// Fault::usage where the settings contradict each other.
  void check() const;
  /// Why an item of normalised rows is unlike the corpus (media/unlikeness.h); empty if it is like it.
  std::string unlike(ItemView rows, int64_t width) const;
  /// Normalises the rows of one recording.
  void apply(std::span<float> rows, int64_t width, std::string_view speaker) const;

 private:
  struct Known {
    std::mutex guard;
    std::map<std::string, FrameScale, std::less<>> speakers;
  };

  FrameNorm norm_ = FrameNorm::none;
  NormOver over_ = NormOver::recording;
  std::string statistics_;
  double unlike_above_ = 0;
  std::shared_ptr<Known> known_ = std::make_shared<Known>();
};

/// A cell without its last column, and that column; the speaker is empty if the cell has fewer than
/// `columns`.
struct SpokenCell {
  std::string_view cell;
  std::string_view speaker;
};
SpokenCell without_speaker(std::string_view cell, int64_t columns);

}  // namespace heed
