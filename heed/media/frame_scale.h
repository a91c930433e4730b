// The mean and the deviation of each number over many rows of features, and rows brought to them.
//
//   x ← (x − μ) / √(σ² + ε)        σ = 1 where only the mean is taken
//
// The rows may be those of one recording (frame_steps.h: normalise), of one speaker or of a corpus.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/media/frame_steps.h"

namespace heed {

struct FrameScale {
  std::vector<double> means;
  std::vector<double> deviations;  // positive

  int64_t width() const { return static_cast<int64_t>(means.size()); }
  bool operator==(const FrameScale&) const = default;
};

/// Adds up rows, recording by recording.
class FrameSums {
 public:
  explicit FrameSums(int64_t width);

  void add(std::span<const float> rows);
  int64_t rows() const { return rows_; }
  /// Error if there was no row.
  FrameScale scale(FrameNorm how) const;

 private:
  int64_t rows_ = 0;
  std::vector<double> sums_;
  std::vector<double> squares_;
};

/// rows [T, width].
void normalise(std::span<float> rows, const FrameScale& scale);

/// "μ σ; μ σ; …", exact to the last bit when read again.
std::string text_of(const FrameScale& scale);
/// Fault::file unless the text has `width` finite means and positive deviations.
FrameScale frame_scale_of(std::string_view text, int64_t width);

}  // namespace heed
