#include "heed/device/dtype.h"

#include "heed/base/error.h"

namespace heed {

void refuse_stored_type(DType dtype) {
  fail("element type: saw {}, which is for storing, needs one to compute with; cast to f32 first",
       name_of(dtype));
}

}  // namespace heed
