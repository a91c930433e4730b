// The catalogue of metrics. To add one: a file beside this one, a line here and one in metrics.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/metric/metric.h"

namespace heed {

std::unique_ptr<Metric> exact_match();
std::unique_ptr<Metric> token_accuracy();
std::unique_ptr<Metric> word_error_rate();
std::unique_ptr<Metric> character_error_rate();
std::unique_ptr<Metric> phoneme_error_rate();

const Catalogue<Metric>& metrics();

}  // namespace heed
