// A recording: one channel of samples, most of them between −1 and 1.
#pragma once

#include <cstdint>
#include <vector>

namespace heed {

struct Sound {
  int32_t rate = 0;  // samples a second
  std::vector<float> samples;

  double seconds() const { return static_cast<double>(samples.size()) / rate; }
};

}  // namespace heed
