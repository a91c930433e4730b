// The catalogue of norms. To add one: its file under norm/, and its line in norms.cpp.
#pragma once

#include <memory>

#include "heed/nn/norm.h"

namespace heed {

const Catalogue<Norm>& norms();

std::unique_ptr<Norm> layer_norm();
std::unique_ptr<Norm> rms_norm();

}  // namespace heed
