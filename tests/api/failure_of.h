// What a call of the library throws, as text.
#pragma once

#include <string>

#include "heed/base/error.h"

namespace heed::test {

/// What `act` throws, with its kind: "2 request: …".
template <class Act>
std::string failure_of(Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.fault())) + " " + error.what();
  }
  return "nothing failed";
}

}  // namespace heed::test
