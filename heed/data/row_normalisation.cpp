#include "heed/data/row_normalisation.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/media/unlikeness.h"

namespace heed {
namespace {

/// Adds the rows of a cell. What cannot be read is said when it is read to be used.
void add_rows(FrameSums& sums, const std::string& cell, const RowNormalisation::RowsOf& rows_of) {
  try {
    sums.add(rows_of(cell));
  } catch (const Error& error) {
    if (error.fault() != Fault::file) {
      throw;
    }
  }
}

}  // namespace

void RowNormalisation::describe(Describer& d) {
  d.setting("normalise", norm_,
            {{"none", FrameNorm::none},
             {"mean", FrameNorm::mean},
             {"mean_and_variance", FrameNorm::mean_and_variance}},
            {"what each number is brought to: mean 0, and variance 1"});
  d.setting("over", over_,
            {{"recording", NormOver::recording},
             {"speaker", NormOver::speaker},
             {"corpus", NormOver::corpus}},
            {"over what it is brought to that: each recording, all recordings of a speaker in the "
             "table (a further column has the speaker), or the training data"});
  d.setting("statistics", statistics_,
            {"over a corpus: mean and deviation of each number, \"μ σ; μ σ\"; learnt when training "
             "begins, unless given"});
  d.setting(
      "unlike_above", unlike_above_,
      {.help = "over a corpus: a recording whose spectra differ more from the training data is "
               "reported when it is answered, because its voice is another; a share of a "
               "deviation, squared: 0.2 is usual for speech; 0: none is reported",
       .least = 0,
       .most = 1e6});
}

void RowNormalisation::check() const {
  if (unlike_above_ > 0 && !reads_corpus()) {
    fail(Fault::usage,
         "data.source: unlike_above compares a recording with the training data; it needs "
         "normalise = \"mean_and_variance\" over = \"corpus\"");
  }
}

std::string RowNormalisation::unlike(ItemView rows, int64_t width) const {
  const std::span numbers(reinterpret_cast<const float*>(rows.data()), rows.size() / sizeof(float));
  const double found = unlike_above_ > 0 ? unlikeness(numbers, width) : 0;
  return found <= unlike_above_
             ? ""
             : fmt::format(
                   "its voice, or what else it holds, is unlike what the model learned from "
                   "(its spectra differ by {:.2f}, and {:g} is much); its words may be wrong",
                   found, unlike_above_);
}

void RowNormalisation::learn(std::span<const std::string> cells, int64_t width,
                             const RowsOf& rows_of) {
  constexpr std::size_t most = 5000;
  if (!reads_corpus() || !statistics_.empty()) {
    return;
  }
  FrameSums sums(width);
  const std::size_t count = std::min(most, cells.size());
  for (std::size_t i = 0; i < count; ++i) {
    add_rows(sums, cells[i * cells.size() / count], rows_of);
  }
  if (sums.rows() > 0) {
    statistics_ = text_of(sums.scale(norm_));
  }
}

void RowNormalisation::meet(std::span<const std::string> cells, int64_t width,
                            const RowsOf& rows_of) const {
  if (!reads_speaker()) {
    return;
  }
  std::map<std::string, FrameSums, std::less<>> sums;
  for (const std::string& cell : cells) {
    const std::size_t tab = cell.rfind('\t');
    if (tab != std::string::npos && tab + 1 < cell.size()) {
      add_rows(sums.try_emplace(cell.substr(tab + 1), width).first->second, cell, rows_of);
    }
  }
  const std::lock_guard lock(known_->guard);
  for (const auto& [speaker, sum] : sums) {
    if (sum.rows() > 0) {
      known_->speakers.insert_or_assign(speaker, sum.scale(norm_));
    }
  }
}

std::optional<FrameScale> RowNormalisation::scale(std::string_view speaker, int64_t width) const {
  if (reads_corpus()) {
    if (statistics_.empty()) {
      fail(Fault::usage,
           "data.source: normalisation over the corpus has no statistics of the training data; "
           "train, or set statistics");
    }
    return frame_scale_of(statistics_, width);
  }
  if (reads_speaker() && !speaker.empty()) {
    const std::lock_guard lock(known_->guard);
    const auto found = known_->speakers.find(speaker);
    return found == known_->speakers.end() ? std::nullopt : std::optional(found->second);
  }
  return std::nullopt;
}

void RowNormalisation::apply(std::span<float> rows, int64_t width, std::string_view speaker) const {
  if (const std::optional<FrameScale> by = scale(speaker, width)) {
    heed::normalise(rows, *by);
  } else if (!rows.empty()) {
    heed::normalise(rows, width, norm_);
  }
}

SpokenCell without_speaker(std::string_view cell, int64_t columns) {
  const auto tabs = std::count(cell.begin(), cell.end(), '\t');
  if (tabs + 1 < columns) {
    return {cell, {}};
  }
  const std::size_t tab = cell.rfind('\t');
  return {cell.substr(0, tab), cell.substr(tab + 1)};
}

}  // namespace heed
