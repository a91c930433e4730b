#include "heed/engine/shelf/place.h"

#include <atomic>

#include "heed/backend/all/backends.h"

namespace heed {

Place place_on(const std::string& backend) { return {&find_backend(backend), DType::f32}; }

std::string fault_of_place(const std::string& backend) { return fault_of_backend(backend); }

std::vector<std::string> place_names() { return backend_names(); }

namespace {
std::atomic<int64_t> limited_to = 0;
}  // namespace

void limit_memory(int64_t bytes) {
  limited_to = bytes;
  limit_backends(bytes);
}

int64_t memory_limit() { return limited_to; }

}  // namespace heed
