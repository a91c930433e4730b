// The same bits whatever the number of threads, for every primitive and fused kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "heed/base/thread_pool.h"
#include "heed/device/kernel/attend.h"
#include "heed/device/kernel/cross_entropy.h"
#include "heed/device/kernel/dropout.h"
#include "heed/device/kernel/norm.h"
#include "heed/device/kernel/recurrent.h"
#include "heed/device/kernel/softmax.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::threads_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Place cpu() { return {&forced("cpu"), DType::f32}; }

Tensor normal(const Shape& shape, uint64_t place) {
  return Tensor::random(shape, Distribution::normal, {1, 0, place}, cpu());
}

/// Runs `make` on 1, 2, 3 and 8 threads.
void expect_same_bits(const char* what, const std::function<Tensor()>& make) {
  const int before = threads();
  set_threads(1);
  const Tensor alone = make();
  for (const int count : {2, 3, 8}) {
    set_threads(count);
    for (int repeat = 0; repeat < 3; ++repeat) {
      EXPECT_TRUE(same_bits(make(), alone)) << what << " on " << count << " threads";
    }
  }
  set_threads(before);
}

TEST(Threads, Map) {
  const Tensor x = normal({301, 401}, 1);
  const Tensor row = normal({1, 401}, 2);
  expect_same_bits("gelu(x), then times a row", [&] {
    const Tensor y = Tensor::empty(x.shape(), cpu());
    const std::vector<View> in = {x.view()};
    cpu().backend->map(function<fn::Gelu>, y.view(), in, {});
    const std::vector<View> both = {y.view(), broadcast_to(row.view(), x.shape())};
    cpu().backend->map(function<fn::Multiply>, y.view(), both, {});
    return y;
  });
}

TEST(Threads, CopyAndRandom) {
  const Tensor x = normal({301, 401}, 1);
  expect_same_bits("transposed copy", [&] {
    const Tensor y = Tensor::empty({401, 301}, cpu());
    cpu().backend->copy(y.view(), transposed(x.view()));
    return y;
  });
  for (const auto distribution : {Distribution::normal, Distribution::uniform}) {
    expect_same_bits("random", [&] {
      return Tensor::random({77, 1003}, distribution, {3, 4, 5}, cpu());
    });
  }
}

TEST(Threads, Reduction) {
  for (const auto& [shape, to] : std::vector<std::pair<Shape, Shape>>{
           {{200003}, {1}},
           {{100, 2003}, {100, 1}},
           {{2003, 100}, {1, 100}},
           {{40000, 3}, {1, 3}},
           {{3, 40000}, {3, 1}},
           {{20, 100, 70}, {1, 100, 1}},
           {{20, 100, 70}, {20, 1, 70}},
           {{50, 3000}, {1, 3000}},
       }) {
    const Tensor x = normal(shape, 6);
    for (const Reduction reduction : {Reduction::sum, Reduction::max}) {
      expect_same_bits(heed::to_string(shape).c_str(), [&] {
        const Tensor y = Tensor::empty(to, cpu());
        cpu().backend->reduce(reduction, y.view(), x.view());
        return y;
      });
    }
  }
  const Tensor x = normal({2003, 50}, 7);
  expect_same_bits("argmax", [&] {
    const Tensor y = Tensor::empty({2003, 1}, cpu().with(DType::i32));
    cpu().backend->reduce(Reduction::argmax, y.view(), x.view());
    return y;
  });
  expect_same_bits("topk", [&] {
    const Tensor y = Tensor::empty({2003, 9}, cpu());
    const Tensor places = Tensor::empty({2003, 9}, cpu().with(DType::i32));
    cpu().backend->topk(y.view(), places.view(), x.view());
    return y;
  });
}

TEST(Threads, Matmul) {
  struct Sizes {
    int64_t batch, m, n, k;
  };
  for (const Sizes s : {Sizes{1, 1, 3000, 300},
                        {1, 16, 1500, 300},
                        {1, 300, 290, 310},
                        {1, 97, 600, 257},
                        {40, 33, 29, 64},
                        {8, 70, 130, 90},
                        {1, 2000, 3, 100},
                        {1, 100, 100, 2000}}) {
    const Tensor a = normal({s.batch, s.m, s.k}, 8);
    const Tensor b = normal({s.batch, s.k, s.n}, 9);
    const Tensor bt = normal({s.batch, s.n, s.k}, 10);
    for (const View& right : {b.view(), transposed(bt.view())}) {
      expect_same_bits(fmt::format("{}×{}×{}×{}", s.batch, s.m, s.n, s.k).c_str(), [&] {
        const Tensor out = Tensor::full({s.batch, s.m, s.n}, 1, cpu());
        cpu().backend->matmul(out.view(), a.view(), right, 0.5, 0.25);
        return out;
      });
    }
  }
}

TEST(Threads, GatherAndScatter) {
  const Tensor rows = normal({2, 900, 300}, 11);
  const Tensor uniform = Tensor::random({2, 900}, Distribution::uniform, {1, 1, 1}, cpu());
  const std::vector<View> in = {uniform.view()};
  cpu().backend->map(function<fn::Affine>, uniform.view(), in, {50, -1});
  const Tensor index = Tensor::empty({2, 900}, cpu().with(DType::i32));
  cpu().backend->copy(index.view(), uniform.view());
  expect_same_bits("scatter_add", [&] {
    const Tensor table = Tensor::zeros({2, 50, 300}, cpu());
    cpu().backend->scatter_add(table.view(), rows.view(), index.view());
    return table;
  });
  expect_same_bits("gather", [&] {
    const Tensor out = Tensor::empty({2, 900, 300}, cpu());
    cpu().backend->gather(out.view(), rows.view(), index.view());
    return out;
  });
}

TEST(Threads, AWrongIndexIsReportedFromAnyThread) {
  set_threads(3);
  const Tensor table = Tensor::zeros({1, 3, 64}, cpu());
  const Tensor out = Tensor::empty({1, 3000, 64}, cpu());
  const Tensor index = Tensor::full({1, 3000}, 3, cpu().with(DType::i32));
  cpu().backend->gather(out.view(), table.view(), index.view());
  EXPECT_THAT([&] { out.values(); }, ThrowsMessage<Error>(HasSubstr("gather: saw index 3")));
}

TEST(Threads, Softmax) {
  const Tensor x = normal({701, 131}, 12);
  const Tensor dy = normal({701, 131}, 13);
  expect_same_bits("softmax", [&] {
    const Tensor y = Tensor::empty(x.shape(), cpu());
    cpu().backend->run_fused(SoftmaxRows{y.view(), x.view()});
    const Tensor dx = Tensor::empty(x.shape(), cpu());
    cpu().backend->run_fused(SoftmaxGradient{dx.view(), dy.view(), y.view()});
    return dx;
  });
}

TEST(Threads, CrossEntropyAndCells) {
  const Tensor logits = normal({61, 2003}, 14);
  const Tensor targets = Tensor::full({61, 1}, 7, cpu().with(DType::i32));
  expect_same_bits("cross_entropy", [&] {
    const auto column = [] { return Tensor::empty({61, 1}, cpu()); };
    const Tensor losses = column();
    const Tensor most = column();
    const Tensor total = column();
    cpu().backend->run_fused(
        CrossEntropy{losses.view(), most.view(), total.view(), logits.view(), targets.view(), 0.1});
    return losses;
  });
  const Tensor sums = normal({61, 5 * 129}, 15);
  const Tensor before = normal({61, 129}, 16);
  expect_same_bits("lstm", [&] {
    const Tensor gates = sums.clone();
    const Tensor cell = Tensor::empty(before.shape(), cpu());
    const Tensor hidden = Tensor::empty(before.shape(), cpu());
    cpu().backend->run_fused(LstmStep{gates.view(), before.view(), cell.view(), hidden.view()});
    return hidden;
  });
}

TEST(Threads, NormAndDropout) {
  const Tensor x = normal({701, 131}, 17);
  const Tensor dy = normal({701, 131}, 18);
  const Tensor weight = normal({131}, 19);
  Backend& backend = *cpu().backend;
  for (const int which : {0, 1, 2}) {
    expect_same_bits("norm", [&] {
      const Tensor y = Tensor::empty(x.shape(), cpu());
      const Tensor mean = Tensor::empty({701, 1}, cpu());
      const Tensor scale = Tensor::empty({701, 1}, cpu());
      backend.run_fused(RowNorm{y.view(), mean.view(), scale.view(), x.view(), weight.view(),
                                weight.view(), 1e-5});
      const Tensor dweight = Tensor::zeros({131}, cpu());
      const Tensor dbias = Tensor::zeros({131}, cpu());
      backend.run_fused(RowNormGradient{y.view(), dweight.view(), dbias.view(), dy.view(), x.view(),
                                        mean.view(), scale.view(), weight.view()});
      return which == 0 ? y : which == 1 ? dweight : dbias;
    });
  }
  expect_same_bits("dropout", [&] {
    const Tensor y = Tensor::empty(x.shape(), cpu());
    backend.run_fused(DropoutStep{y.view(), x.view(), 0.2, RandomKey{.seed = 20}});
    return y;
  });
}

/// All gradients of softmax attention by the additive score, in one row: dq, dk, dvalues, dv.
Tensor additive_gradients(const Tensor& query, const Tensor& keys, const Tensor& v) {
  const Shape rows = query.shape();  // [M, 1, 1, R, A], values are the keys
  const Tensor context = Tensor::empty(rows, cpu());
  const Tensor state = Tensor::empty(rows.with(4, 2), cpu());
  const Tensor lo = Tensor::zeros({rows[0], 1, 1, rows[3]}, cpu());
  const Tensor hi = Tensor::full(lo.shape(), static_cast<double>(keys.size(2)), cpu());
  AttendStep step;
  step.score = {query.view(), keys.view(), AdditivePairs{v.view(), Activation::tanh, {}}};
  step.where = {lo.view(), hi.view(), hi.view(), {}, {}, 0};
  step.values = keys.view();
  step.context = context.view();
  step.state = state.view();
  cpu().backend->run_fused(step);
  const int64_t count = query.numel() + 2 * keys.numel() + v.numel();
  const Tensor all = Tensor::zeros({count}, cpu());
  float* free = all.view().as<float>();
  const auto take = [&free](const Tensor& like) {
    const View view = dense_view(free, DType::f32, like.shape());
    free += like.numel();
    return view;
  };
  AttendGradient gradient{step, context.view(), {}, {}, {}, {}, {}, {}, {}};
  gradient.dquery = take(query);
  gradient.dkeys = take(keys);
  gradient.dvalues = take(keys);
  gradient.dv = take(v);
  cpu().backend->run_fused(gradient);
  return all;
}

TEST(Threads, AdditiveAttention) {
  const Tensor v = normal({1, 1, 96}, 22);
  for (const Shape& grid : {Shape{2, 150, 70}, Shape{9, 1, 33}, Shape{1, 260, 40}}) {
    const Tensor query = normal({grid[0], 1, 1, grid[1], 96}, 20);
    const Tensor keys = normal({grid[0], 1, grid[2], 96}, 21);
    expect_same_bits("additive attention", [&] { return additive_gradients(query, keys, v); });
  }
}

}  // namespace
}  // namespace heed::test::threads_test
