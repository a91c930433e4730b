// Forces every SIMD target this machine can run, one after the other.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <string>

namespace heed::test {

class ForcedTarget {
 public:
  explicit ForcedTarget(int64_t target) { force(target); }
  ~ForcedTarget() { force(0); }
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;

 private:
  /// 0: the machine's best again.
  static void force(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

template <class Body>
void on_each_target(const Body& body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    const ForcedTarget forced(target);
    body();
  }
}

/// A test that runs on each target:
///
///   class Softmax : public OnEachTarget {};
///   INSTANTIATE_TEST_SUITE_P(Targets, Softmax, all_targets(), name_of_target);
class OnEachTarget : public ::testing::TestWithParam<int64_t> {
 private:
  ForcedTarget forced_{GetParam()};
};

inline auto all_targets() { return ::testing::ValuesIn(hwy::SupportedAndGeneratedTargets()); }

inline std::string name_of_target(const ::testing::TestParamInfo<int64_t>& info) {
  return hwy::TargetName(info.param);
}

}  // namespace heed::test
