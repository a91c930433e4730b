#include "heed/device/backend_library.h"
#include "tests/support/log_backend/log_backend.h"

const heed::BackendLibrary heed_backend_library = {"of-last-year", heed::test::log_backend};
