#include "heed/backend/all/register_backends.h"

#include <mutex>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/backend/reference/reference_backend.h"
#include "heed/base/catalogue.h"

namespace heed {
namespace {

const Catalogue<Backend>& all() {
  static const Catalogue<Backend> each("backend",
                                       {{"cpu", {}, "vector kernels", cpu_backend},
                                        {"reference", {}, "plain loops", reference_backend}});
  return each;
}

}  // namespace

void register_backends() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (const auto& entry : all()) {
      register_backend(entry.make());
    }
  });
}

std::unique_ptr<Backend> make_backend(const std::string& name) { return all().make(name); }

}  // namespace heed
