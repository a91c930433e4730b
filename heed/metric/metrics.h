// The catalogue of metrics. To add one: a file beside this one, a line here and one in metrics.cpp.
#pragma once

#include <memory>
#include <string_view>

#include "heed/base/catalogue.h"
#include "heed/metric/metric.h"

namespace heed {

/// BLEU, chrF and TER equal those of this sacreBLEU to the last printed digit; their signatures name
/// it.
inline constexpr std::string_view sacrebleu_version = "2.6.0";

/// A program adds its own metric with `metrics().add({"mine", {}, "its formula", make_mine})`.
Catalogue<Metric>& metrics();

}  // namespace heed
