// One row of the gradient of a recurrent step, as device/kernel/recurrent.h names its views.
#pragma once

namespace heed::cpu {

struct LstmGradientRow {
  const float* gates;
  const float* c;
  const float* dh;
  const float* dc_new;
  float* dgates;
  float* dc;
};

struct GruGradientRow {
  const float* gates;
  const float* h;
  const float* dh_new;
  float* dgates;
  float* dh;
};

}  // namespace heed::cpu
