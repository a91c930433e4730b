// Where to run: a backend by name, all of them made known first.
#pragma once

#include <string>

#include "heed/tensor/tensor.h"

namespace heed {

/// f32 on the backend of that name ("cpu", "reference"); an unknown name is an error that lists
/// those there are.
Place place_on(const std::string& backend);

}  // namespace heed
