#include "tests/support/backends.h"

#include "heed/backend/all/register_backends.h"

namespace heed::test {

Backend& forced(const std::string& name) {
  register_backends();
  return find_backend(name);
}

std::vector<Place> places() {
  register_backends();
  std::vector<Place> all;
  for (const auto& backend : registered_backends()) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      if (backend->supports(dtype)) {
        all.push_back({backend.get(), dtype});
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
  for (const auto& each : registered_backends()) {
    before_.push_back(each->allocator().statistics().requests);
  }
}

RanOn::~RanOn() {
  size_t i = 0;
  for (const auto& each : registered_backends()) {
    const int64_t ran = each->allocator().statistics().requests - before_[i++];
    if (each.get() == &backend_ && ran == 0) {
      ADD_FAILURE() << "nothing ran on " << each->name() << ", where this was to be tested";
    } else if (each.get() != &backend_ && ran != 0) {
      ADD_FAILURE() << ran << " results lie on " << each->name() << ", needs all on "
                    << backend_.name();
    }
  }
}

}  // namespace heed::test
