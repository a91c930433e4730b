// Cepstra: the discrete cosine transform of log filter sums L_j, j = 0 … J − 1 (Davis and Mermelstein
// 1980).
//
//   ortho    c_i = s_i Σ_j L_j cos(π i (j + ½) / J)      s_0 = √(1/J), else √(2/J)   (librosa, PyTorch, Kaldi)
//   legacy   c_i = 1/J Σ_j b_j L_j cos(π i (j + ½) / J)  b_0 = ½, else 1             (Sphinx)
//
// A lifter Q raises the higher ones: c_i ← (1 + Q/2 sin(π i / Q)) c_i (HTK, Kaldi); 0 leaves them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

enum class CosineForm { ortho, legacy };

struct CepstraForm {
  int64_t count = 0;  // 0: none, the log filter sums themselves
  CosineForm cosine = CosineForm::ortho;
  double lifter = 0;

  bool operator==(const CepstraForm&) const = default;
};

class Cepstra {
 public:
  /// Of J = `filters` sums each. Fault::usage where there are more cepstra than filters.
  Cepstra(const CepstraForm& form, int64_t filters);

  int64_t count() const { return count_; }
  /// logs [frames, J] → [frames, count].
  std::vector<float> operator()(std::span<const float> logs) const;

 private:
  int64_t count_;
  int64_t filters_;
  std::vector<float> cosines_;  // [count, J], with all factors
};

}  // namespace heed
