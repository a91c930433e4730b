#include "heed/device/backend_library.h"

#include <dlfcn.h>

#include <string_view>

#include "heed/base/error.h"

namespace heed {

const char* backend_build() { return HEED_BACKEND_BUILD; }

std::unique_ptr<Backend> open_backend_library(const std::string& path, int device) {
  void* opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* why = ::dlerror();
    fail("backend: cannot open {} ({}); install what it needs, or choose another backend", path,
         why == nullptr ? "no reason is known" : why);
  }
  const auto* library = static_cast<const BackendLibrary*>(::dlsym(opened, "heed_backend_library"));
  if (library == nullptr) {
    fail("backend: {} is not a library of a backend; choose another backend", path);
  }
  if (std::string_view(library->build) != backend_build()) {
    fail("backend: {} belongs to another build of heed ({}, not {}); install the two together",
         path, library->build, backend_build());
  }
  return library->make(device);
}

}  // namespace heed
