// The catalogue of formats. To add one: its file in format/, and its line in formats.cpp.
#pragma once

#include <string>

#include "heed/base/catalogue.h"
#include "heed/import/format.h"

namespace heed {

const Catalogue<Format>& formats();

/// The tensors of a file in the format that its first bytes show.
WeightTable read_weights(const std::string& path);

}  // namespace heed
