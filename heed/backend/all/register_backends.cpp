#include "heed/backend/all/register_backends.h"

#include <mutex>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/backend/reference/reference_backend.h"

namespace heed {

void register_backends() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_backend(cpu_backend());
    register_backend(reference_backend());
  });
}

}  // namespace heed
