// One look of the attention operator alone, fused or composed, with or without its gradients.
#pragma once

#include <string>

#include "heed/attention/focuses.h"
#include "heed/attention/lowered.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"

namespace heed {

struct Asked {
  std::string score, normaliser, focus, way, report;
  bool trains = false;
  int64_t b = 0, h = 0, t = 0, s = 0, d = 0;
  Precision precision = Precision::f32;
};

class Looker {
 public:
  explicit Looker(const Asked& asked);

  /// False where the operator has no kernel for these parts.
  bool has_kernel() const;
  void look();

 private:
  Tensor normal(const Shape& shape, uint64_t number) const;
  Tensor fused(const Where& where, const Tensor& prepared) const;
  Tensor composed(const Where& where, const Tensor& prepared) const;

  Asked asked_;
  Place place_;
  std::unique_ptr<Score> score_;
  std::unique_ptr<Normaliser> normaliser_;
  std::vector<std::unique_ptr<Focus>> focus_;
  Geometry geometry_;
  Tensor query_, keys_, values_, seed_;
  // Made once where nothing is trained, as a decoder does.
  Tensor prepared_;
  Tensor kernel_keys_;
};

}  // namespace heed
