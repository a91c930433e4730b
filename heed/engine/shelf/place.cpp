#include "heed/engine/shelf/place.h"

#include "heed/backend/all/register_backends.h"

namespace heed {

Place place_on(const std::string& backend) {
  register_backends();
  return {&find_backend(backend), DType::f32};
}

std::vector<std::string> backend_names() {
  register_backends();
  std::vector<std::string> names;
  for (const auto& backend : registered_backends()) {
    names.emplace_back(backend->name());
  }
  return names;
}

void limit_memory(int64_t bytes) {
  register_backends();
  for (const auto& backend : registered_backends()) {
    backend->allocator().set_limit(bytes);
  }
}

}  // namespace heed
