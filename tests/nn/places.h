// What every test of this layer begins with: it runs on each backend and element type.
#pragma once

#include <gtest/gtest.h>

#include "heed/nn/init.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::test {

class OnEveryPlace : public ::testing::TestWithParam<Place> {
 protected:
  const Place& place() const { return GetParam(); }
  Tensor normal(const Shape& shape, uint64_t number = 0) const {
    return Tensor::random(shape, Distribution::normal, {7, 0, number}, place());
  }
  Tensor whole(const std::vector<int32_t>& values) const {
    return Tensor::of(values, {static_cast<int64_t>(values.size())}, place().with(DType::i32));
  }
};

}  // namespace heed::test
