// A backend in a shared library of its own, libheed_NAME.so, which is opened when its name is first
// asked for: a program starts without the driver that the backend needs. The library has its own copy
// of base and device, so both must be built from the same headers by the same compiler.
#pragma once

#include <memory>
#include <string>

#include "heed/device/backend.h"

namespace heed {

/// What a library has under the name heed_backend_library:
///
///   const heed::BackendLibrary heed_backend_library = {heed::backend_build(), log_backend};
struct BackendLibrary {
  const char* build;                             // first, so that it can always be read
  std::unique_ptr<Backend> (*make)(int device);  // an Error if there is no such device
};

/// A number of the headers, the compiler and its options that this was built from.
const char* backend_build();

/// Opens the library at `path`, which stays open, and makes its backend for that device. An Error if it cannot
/// be opened, is no backend, or was built from something else.
std::unique_ptr<Backend> open_backend_library(const std::string& path, int device);

}  // namespace heed

extern "C" [[gnu::visibility("default")]] const heed::BackendLibrary heed_backend_library;
