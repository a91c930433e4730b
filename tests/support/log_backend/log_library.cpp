#include "heed/base/error.h"
#include "heed/device/backend_library.h"
#include "tests/support/log_backend/log_backend.h"

namespace heed::test {
namespace {

std::unique_ptr<Backend> logged(int device) {
  if (device > 1) {
    fail(Fault::usage, "log: there are devices 0 and 1, not {}; choose one of them", device);
  }
  return log_backend(device);
}

}  // namespace
}  // namespace heed::test

const heed::BackendLibrary heed_backend_library = {heed::backend_build(), heed::test::logged};
