// As many threads as HEED_THREADS says, for every benchmark: contest.py sets it beside the variables of other libraries.
#include <cstdlib>

#include "heed/base/thread_pool.h"

namespace {

const bool is_set = [] {
  if (const char* wanted = std::getenv("HEED_THREADS"); wanted != nullptr) {
    heed::set_threads(std::atoi(wanted));
  }
  return true;
}();

}  // namespace
