#include "heed/media/fourier.h"

#include <kissfft/kiss_fftr.h>

#include <vector>

#include "heed/base/error.h"

namespace heed {

struct RealFourier::Plan {
  std::vector<std::max_align_t> memory;  // kissfft builds the plan in it
  kiss_fftr_cfg config = nullptr;
  std::vector<kiss_fft_cpx> bins;
};

RealFourier::RealFourier(int64_t size) : size_(size), plan_(std::make_unique<Plan>()) {
  require(size >= 2 && size <= 1 << 20 && size % 2 == 0,
          "fourier: saw a size of {}, needs an even one from 2 to {}", size, 1 << 20);
  std::size_t bytes = 0;
  kiss_fftr_alloc(static_cast<int>(size), 0, nullptr, &bytes);
  plan_->memory.resize(bytes / sizeof(std::max_align_t) + 1);
  bytes = plan_->memory.size() * sizeof(std::max_align_t);
  plan_->config = kiss_fftr_alloc(static_cast<int>(size), 0, plan_->memory.data(), &bytes);
  require(plan_->config != nullptr, "fourier: saw no plan for {} numbers", size);
  plan_->bins.resize(static_cast<std::size_t>(size / 2 + 1));
}

RealFourier::~RealFourier() = default;

void RealFourier::power(std::span<const float> x, std::span<float> power) {
  require(x.size() == static_cast<std::size_t>(size_) && power.size() == plan_->bins.size(),
          "fourier: saw {} numbers and {} bins, needs {} and {}", x.size(), power.size(), size_,
          plan_->bins.size());
  kiss_fftr(plan_->config, x.data(), plan_->bins.data());
  for (std::size_t k = 0; k < power.size(); ++k) {
    const kiss_fft_cpx& bin = plan_->bins[k];
    power[k] = bin.r * bin.r + bin.i * bin.i;
  }
}

}  // namespace heed
