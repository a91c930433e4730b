// Mel scales and the filters that sum a power spectrum along them.
//
//   htk      m = 2595 log₁₀(1 + f/700)                                    (Sphinx's and Kaldi's as well)
//   slaney   m = 3f/200 below 1000 Hz, 15 + 27 log_6.4(f/1000) above      (Slaney 1998, Auditory Toolbox)
//
// The edges of J filters are J + 2 points m_0 … m_{J+1} at equal distances on the scale between the
// lowest and the highest frequency. Filter j is a triangle over m_{j−1}, m_j, m_{j+1}, 0 outside:
//
//   hertz    straight sides over frequency f       (librosa, torchaudio, Sphinx)
//   mel      straight sides over m(f)              (Kaldi)
//
// Its height is 1 or, with equal areas, 2 / (f_{j+1} − f_{j−1}) (librosa's norm "slaney", Sphinx's
// unit area). Edges may be rounded to the bins of the spectrum, as Sphinx does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

enum class MelScale { htk, slaney };
enum class MelSides { hertz, mel };

double mel_of_hertz(MelScale scale, double hertz);
double hertz_of_mel(MelScale scale, double mel);

struct MelForm {
  int64_t filters = 80;
  double low_hertz = 0;
  double high_hertz = 0;  // 0: half of the rate
  MelScale scale = MelScale::htk;
  MelSides sides = MelSides::hertz;
  bool has_equal_areas = false;
  bool rounds_edges = false;

  bool operator==(const MelForm&) const = default;
};

class MelFilters {
 public:
  /// For spectra of `fft` / 2 + 1 bins, bin k at k · rate / fft Hz. Fault::usage where they cannot be.
  MelFilters(const MelForm& form, int64_t rate, int64_t fft);

  int64_t count() const { return static_cast<int64_t>(filters_.size()); }
  /// Σ_k w_jk power_k into `sums` [count].
  void sum(std::span<const float> power, std::span<float> sums) const;

 private:
  /// The bins where a filter is above 0.
  struct Filter {
    std::size_t first = 0;
    std::vector<float> weights;
  };
  std::vector<Filter> filters_;
};

}  // namespace heed
