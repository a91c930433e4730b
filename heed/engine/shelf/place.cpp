#include "heed/engine/shelf/place.h"

#include "heed/backend/all/backends.h"

namespace heed {

Place place_on(const std::string& backend) { return {&find_backend(backend), DType::f32}; }

std::string fault_of_place(const std::string& backend) { return fault_of_backend(backend); }

std::vector<std::string> place_names() { return backend_names(); }

void limit_memory(int64_t bytes) { limit_backends(bytes); }

}  // namespace heed
