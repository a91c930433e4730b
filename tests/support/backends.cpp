#include "tests/support/backends.h"

#include "heed/backend/all/backends.h"
#include "tests/support/far_backend.h"

namespace heed::test {
namespace {

Backend& far() {
  static Backend* one = far_backend().release();  // outlives tensors with static lifetime
  return *one;
}

/// Every backend that tests run on.
std::vector<Backend*> tested_backends() {
  return {&find_backend("reference"), &find_backend("cpu"), &far()};
}

}  // namespace

Backend& forced(const std::string& name) { return name == "far" ? far() : find_backend(name); }

std::vector<Place> places() {
  std::vector<Place> all;
  for (Backend* backend : tested_backends()) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      if (backend->supports(dtype)) {
        all.push_back({backend, dtype});
      }
    }
  }
  return all;
}

std::string to_string(const Place& place) {
  std::string name = place.backend->name() + "_" + name_of(place.dtype);
  for (char& letter : name) {
    letter = letter == ':' ? '_' : letter;
  }
  return name;
}

std::string name_of_place(const ::testing::TestParamInfo<Place>& info) {
  return to_string(info.param);
}

RanOn::RanOn(const Backend& backend) : backend_(backend) {
  for (Backend* each : tested_backends()) {
    before_.push_back(each->allocator().statistics().requests);
  }
}

RanOn::~RanOn() {
  size_t i = 0;
  for (Backend* each : tested_backends()) {
    const int64_t ran = each->allocator().statistics().requests - before_[i++];
    if (each == &backend_ && ran == 0) {
      ADD_FAILURE() << "nothing ran on " << each->name() << ", where this was to be tested";
    } else if (each != &backend_ && ran != 0) {
      ADD_FAILURE() << ran << " results lie on " << each->name() << ", needs all on "
                    << backend_.name();
    }
  }
}

}  // namespace heed::test
