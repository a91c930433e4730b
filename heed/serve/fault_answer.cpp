#include "heed/serve/fault_answer.h"

#include <new>

#include "heed/base/json.h"
#include "heed/device/out_of_memory.h"

namespace heed {

HttpResponse fault_answer(int status, const std::string& message,
                          const std::vector<SettingFault>& faults) {
  Json error = Json::object();
  error.set("status", status).set("message", message);
  if (!faults.empty()) {
    Json all = Json::array();
    for (const SettingFault& fault : faults) {
      all.push(Json::object().set("path", fault.path).set("message", fault.message));
    }
    error.set("faults", std::move(all));
  }
  HttpResponse answer;
  answer.status = status;
  answer.body = Json::object().set("error", std::move(error)).write() + "\n";
  return answer;
}

HttpResponse fault_answer(const std::exception& what) {
  if (const auto* const wrong = dynamic_cast<const SettingError*>(&what)) {
    const auto& faults = wrong->faults();
    return fault_answer(400,
                        faults.size() == 1 ? faults.front().sentence()
                                           : "the request has " + std::to_string(faults.size()) +
                                                 " faults, which are listed under `faults`",
                        faults);
  }
  const auto* const error = dynamic_cast<const Error*>(&what);
  const bool lacks_memory = dynamic_cast<const OutOfMemory*>(&what) != nullptr ||
                            dynamic_cast<const std::bad_alloc*>(&what) != nullptr;
  const bool is_late = error != nullptr && error->fault() == Fault::cancelled;
  if (lacks_memory || is_late) {
    HttpResponse answer = fault_answer(503, lacks_memory ? "there is not enough memory for this now"
                                                         : "the request took too long");
    answer.fields.push_back({"Retry-After", "1"});
    return answer;
  }
  const bool is_mendable =
      error != nullptr && (error->fault() == Fault::usage || error->fault() == Fault::file);
  return is_mendable ? fault_answer(400, error->what())
                     : fault_answer(500, "the request could not be answered");
}

}  // namespace heed
