// The Error of a failed allocation. Code that rewrites other Errors lets it pass.
#pragma once

#include "heed/base/fault.h"

namespace heed {

class OutOfMemory : public Error {
 public:
  using Error::Error;
};

}  // namespace heed
