#include "heed/media/cepstra.h"

#include <cmath>
#include <numbers>

#include "heed/base/error.h"

namespace heed {

Cepstra::Cepstra(const CepstraForm& form, int64_t filters) : count_(form.count), filters_(filters) {
  if (!(form.count >= 1 && form.count <= filters)) {
    fail(Fault::usage,
         "cepstra: {} of {} filters are not possible; take at least one and not more than there "
         "are filters",
         form.count, filters);
  }
  const auto j_count = static_cast<double>(filters);
  for (int64_t i = 0; i < form.count; ++i) {
    const double lift =
        form.lifter > 0 ? 1 + form.lifter / 2 *
                                  std::sin(std::numbers::pi * static_cast<double>(i) / form.lifter)
                        : 1;
    const double ortho = std::sqrt((i == 0 ? 1 : 2) / j_count);
    for (int64_t j = 0; j < filters; ++j) {
      const double angle =
          std::numbers::pi * static_cast<double>(i) * (static_cast<double>(j) + 0.5) / j_count;
      const double legacy = (j == 0 ? 0.5 : 1) / j_count;
      const double factor = form.cosine == CosineForm::ortho ? ortho : legacy;
      cosines_.push_back(static_cast<float>(lift * factor * std::cos(angle)));
    }
  }
}

std::vector<float> Cepstra::operator()(std::span<const float> logs) const {
  const auto filters = static_cast<std::size_t>(filters_);
  const auto count = static_cast<std::size_t>(count_);
  const std::size_t frames = logs.size() / filters;
  std::vector<float> out(frames * count);
  for (std::size_t t = 0; t < frames; ++t) {
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < filters; ++j) {
        sum += static_cast<double>(cosines_[i * filters + j]) * logs[t * filters + j];
      }
      out[t * count + i] = static_cast<float>(sum);
    }
  }
  return out;
}

}  // namespace heed
