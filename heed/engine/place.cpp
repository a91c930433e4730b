#include "heed/engine/place.h"

#include "heed/backend/all/register_backends.h"

namespace heed {

Place place_on(const std::string& backend) {
  register_backends();
  return {&find_backend(backend), DType::f32};
}

}  // namespace heed
