// The place to run on: a backend by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

/// f32 on the backend of that name ("cpu", "reference", "cuda:1"), which is made when it is first
/// asked for; an unknown name is an Error that lists all names.
Place place_on(const std::string& backend);

/// What is wrong with the name of a backend, as the end of a message; empty if there is such a one.
std::string fault_of_place(const std::string& backend);

/// The names of all backends that can be asked for here.
std::vector<std::string> place_names();

/// Limits the memory of tensors on each of these backends, made or not, in bytes; 0: no limit.
void limit_memory(int64_t bytes);
/// The present limit.
int64_t memory_limit();

}  // namespace heed
