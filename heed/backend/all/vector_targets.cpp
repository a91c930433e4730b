#include "heed/backend/all/vector_targets.h"

#include "heed/backend/cpu/targets.h"

namespace heed {

std::vector<std::string> vector_targets() { return cpu_targets(); }

}  // namespace heed
