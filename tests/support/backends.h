// Every test names the backend it runs on, and a guard checks that it did.
//
//   class Sums : public ::testing::TestWithParam<Place> {};
//   INSTANTIATE_TEST_SUITE_P(Everywhere, Sums, ::testing::ValuesIn(places()), name_of_place);
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed::test {

/// The backend of that name; "far" is that of far_backend.h.
Backend& forced(const std::string& name);

/// Every backend with every floating element type it supports: reference f32 and f64, cpu f32, far f32.
std::vector<Place> places();
/// "reference_f64", as a name for a parametrised test.
std::string to_string(const Place& place);
std::string name_of_place(const ::testing::TestParamInfo<Place>& info);

/// While one lives, `backend` must be asked for memory, since every result lies somewhere, and no other
/// backend may be; a test failure otherwise.
class RanOn {
 public:
  explicit RanOn(const Backend& backend);
  explicit RanOn(const Place& place) : RanOn(*place.backend) {}
  ~RanOn();
  RanOn(const RanOn&) = delete;
  RanOn& operator=(const RanOn&) = delete;

 private:
  const Backend& backend_;
  std::vector<int64_t> before_;
};

}  // namespace heed::test

namespace heed {

/// What a failing test with a place for its parameter shows: GoogleTest looks for this name beside
/// the type, and would print bytes without it.
inline void PrintTo(const Place& place,
                    std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << test::to_string(place);
}

}  // namespace heed
