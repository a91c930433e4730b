// One row of a norm and of its gradient, as device/kernel/norm.h names its views.
#pragma once

namespace heed::cpu {

struct NormRow {
  float* y;
  float* mean;  // null: RMS norm
  float* scale;
  const float* x;
  const float* weight;  // or null
  const float* bias;    // or null
  float epsilon;
};

struct NormSlopeRow {
  float* dx;  // or null
  const float* dy;
  const float* x;
  const float* weight;
  float mean;
  float scale;
  bool is_centred;
};

}  // namespace heed::cpu
