// What an allocation throws that fails: whoever blames others for their errors lets it pass.
#pragma once

#include "heed/base/fault.h"

namespace heed {

class OutOfMemory : public Error {
 public:
  using Error::Error;
};

}  // namespace heed
