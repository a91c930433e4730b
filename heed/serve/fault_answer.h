// How a request that cannot be served is answered:
//
//   {"error": {"status": 400, "message": "…", "faults": [{"path": "beam", "message": "must be …"}]}}
#pragma once

#include <string>
#include <vector>

#include "heed/base/fault.h"
#include "heed/config/apply.h"
#include "heed/http/response.h"

namespace heed {

/// `faults` are all that is wrong with the fields of the request.
HttpResponse fault_answer(int status, const std::string& message,
                          const std::vector<SettingFault>& faults = {});
/// Of what was thrown while a request was answered: 400 for what the client can mend, 503 where there is
/// not enough memory or time, else 500 without a word of what happened.
HttpResponse fault_answer(const std::exception& what);

}  // namespace heed
