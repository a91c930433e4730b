#include "heed/cli/version.h"

namespace heed {

const char* const program_version = "heed " HEED_VERSION;

}  // namespace heed
