// The face of every backend: what it lets through to the backend's own primitives, and what not.
#include "heed/device/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "heed/base/error.h"
#include "tests/support/log_backend/log_backend.h"

namespace heed::test::backend_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// What reached the backend while `body` ran.
template <class Body>
std::string reached(const Body& body) {
  ::testing::internal::CaptureStderr();
  body();
  return ::testing::internal::GetCapturedStderr();
}

class Face : public ::testing::Test {
 protected:
  View view(const Shape& shape, DType dtype = DType::f32) {
    return dense_view(memory_.data(), dtype, shape);
  }

  std::unique_ptr<Backend> backend_ = log_backend(0);
  std::array<double, 64> memory_{};
};

TEST_F(Face, PassesOnWhatFits) {
  EXPECT_EQ(reached([&] {
              backend_->upload(view({2, 3}), memory_.data());
              backend_->copy(view({2, 3}), view({2, 3}));
              backend_->fill(view({5}), 1);
              backend_->reduce(Reduction::sum, view({1, 3}), view({2, 3}));
              backend_->reduce(Reduction::argmax, view({2, 1}, DType::i32), view({2, 3}));
              backend_->matmul(view({2, 4}), view({2, 3}), view({3, 4}), 1, 0);
              backend_->matmul(view({2, 4}), view({2, 0}), view({0, 4}), 1, 0);
              backend_->gather(view({1, 2, 3}), view({1, 5, 3}), view({1, 2}, DType::i32));
            }),
            "upload [2, 3]\ncopy [2, 3]\nfill [5]\nreduce [1, 3]\nargmax [2, 1]\nmatmul [2, 4]\n"
            "matmul [2, 4]\ngather [1, 2, 3]\n");
}

/// A grid without threads is an error on a GPU.
TEST_F(Face, PassesOnNothingThatWritesNothing) {
  const View none = view({0, 3});
  const View in[] = {none, none};
  EXPECT_EQ(
      reached([&] {
        backend_->upload(none, nullptr);
        backend_->download(nullptr, none);
        backend_->copy(none, none);
        backend_->fill(none, 1);
        backend_->random(none, Distribution::normal, RandomKey{});
        backend_->random_rows(view({0, 2, 3}), Distribution::normal, {}, view({0, 3}, DType::i32));
        backend_->map(function<fn::Add>, none, in, {});
        backend_->reduce(Reduction::sum, view({0, 1}), none);
        backend_->running_sum(none, none, SumFrom::begin);
        backend_->topk(view({3, 0}), view({3, 0}, DType::i32), view({3, 4}));
        backend_->matmul(view({0, 4}), none, view({3, 4}), 1, 0);
        backend_->gather(view({1, 0, 3}), view({1, 5, 3}), view({1, 0}, DType::i32));
        backend_->scatter_add(view({1, 5, 3}), view({1, 0, 3}), view({1, 0}, DType::i32));
        backend_->iota(none);
        backend_->write_slots(view({0, 1, 2, 3}), view({0, 1, 3}), view({0}, DType::i32));
        backend_->reorder_rows(view({4, 1, 3}), view({0}, DType::i32));
      }),
      "");
}

TEST_F(Face, LetsNothingWrongThrough) {
  const View x = view({2, 3});
  const View turned = transposed(view({3, 2}));
  const View whole = view({2, 3}, DType::i32);
  const View large = view({2, 3}, DType::f64);
  const View one[] = {x};
  const auto refuses = [&](const std::string& message, const auto& call) {
    EXPECT_EQ(reached([&] { EXPECT_THAT(call, ThrowsMessage<Error>(HasSubstr(message))); }), "");
  };
  refuses("upload: saw [2, 3] with gaps", [&] { backend_->upload(turned, memory_.data()); });
  refuses("download: saw [2, 3] with gaps", [&] { backend_->download(memory_.data(), turned); });
  refuses("copy: saw f64 on log:0, which does not hold it", [&] { backend_->copy(x, large); });
  refuses("copy: saw shapes", [&] { backend_->copy(x, view({3, 2})); });
  refuses("fill: saw f64 on log:0", [&] { backend_->fill(large, 0); });
  refuses("random: saw i32", [&] { backend_->random(whole, Distribution::normal, RandomKey{}); });
  refuses("random: saw a step", [&] { backend_->random(x, Distribution::normal, {{}, whole}); });
  refuses("random_rows: saw", [&] { backend_->random_rows(x, Distribution::normal, {}, whole); });
  refuses("map: saw 1 operands, needs 2", [&] { backend_->map(function<fn::Add>, x, one, {}); });
  refuses("reduce: saw [2, 3] reduced", [&] { backend_->reduce(Reduction::max, view({3}), x); });
  refuses("running_sum: saw", [&] { backend_->running_sum(x, whole, SumFrom::begin); });
  refuses("topk: saw", [&] { backend_->topk(view({2, 4}), view({2, 4}, DType::i32), x); });
  refuses("matmul: saw", [&] { backend_->matmul(x, x, x, 1, 0); });
  refuses("gather: saw", [&] { backend_->gather(x, x, whole); });
  refuses("scatter_add: saw", [&] { backend_->scatter_add(x, x, whole); });
  refuses("iota: saw a tensor without axes", [&] { backend_->iota(view({})); });
  refuses("iota: saw bf16", [&] { backend_->iota(view({3}, DType::bf16)); });
  refuses("write_slots: saw", [&] { backend_->write_slots(x, x, whole); });
  refuses("reorder_rows: saw", [&] { backend_->reorder_rows(x, whole); });
}

TEST_F(Face, ReportsTheFirstWrongIndexAtTheNextDownload) {
  IndexFaults& faults = backend_->index_faults();
  EXPECT_EQ(checked_index(4, -1, 5, Indexed::gather, faults, -1), 4);
  EXPECT_EQ(checked_index(-7, -1, 5, Indexed::scatter_add, faults, -1), -1);
  EXPECT_EQ(checked_index(9, 0, 5, Indexed::write_slots, faults, 2), 2);
  std::array<float, 2> host{};
  const auto download = [&] { backend_->download(host.data(), view({2})); };
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(download, ThrowsMessage<Error>(HasSubstr("scatter_add: saw index -7, needs −1 or")));
  EXPECT_NO_THROW(download()) << "it was reported";
  faults.add(Indexed::reorder_rows, 0x7fffffff);
  EXPECT_THAT([&] { backend_->download(nullptr, view({0})); },
              ThrowsMessage<Error>(HasSubstr("reorder_rows: saw index 2147483647")));
  ::testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace heed::test::backend_test
