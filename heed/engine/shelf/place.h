// The place to run on: a backend by name, after all backends are registered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

/// f32 on the backend of that name ("cpu", "reference"); an unknown name is an Error that lists all
/// names.
Place place_on(const std::string& backend);

/// The names of all backends.
std::vector<std::string> backend_names();

/// Limits the memory of tensors on each of these backends, in bytes; 0: no limit.
void limit_memory(int64_t bytes);

}  // namespace heed
