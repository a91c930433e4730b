#include "heed/nn/precision.h"

#include <gmock/gmock.h>

#include "heed/nn/embedding.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent_stack.h"
#include "heed/ops/arithmetic.h"
#include "heed/tensor/tape.h"
#include "tests/nn/places.h"
#include "tests/support/recording_backend.h"

namespace heed::test::precision_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Words in, through layers of two kinds, and out by the same table.
class SmallNetwork : public Module {
 public:
  explicit SmallNetwork(Init& init) {
    words_.build(17, width, init);
    out_.tie(words_);
    layer_.build(width, init);
    cells_.build(width, init);
  }
  void describe(Describer& d) override {
    d.child("words", words_);
    d.child("out", out_);
    d.child("layer", layer_);
    d.child("cells", cells_);
  }
  /// [5, 17]
  Tensor operator()(const Tensor& ids) const {
    Pass pass = Pass::serving();
    std::vector<Tensor> state;
    const Tensor h = cells_.step(layer_(words_(ids), pass), state, pass);
    return out_.logits(h, pass);
  }

 private:
  static constexpr int64_t width = 256;  // as wide as the cells
  Embedding words_;
  Embedding out_;
  FeedForward layer_;
  RecurrentStack cells_{{.cell = "gru", .is_one_way = true}};
};

class ServedModules : public OnEveryPlace {};
INSTANTIATE_TEST_SUITE_P(Everywhere, ServedModules, ::testing::ValuesIn(places()), name_of_place);

TEST_P(ServedModules, ComputeTheSameWithoutTheirMasters) {
  const NoGrad no_grad;
  const Tensor ids = whole({3, 16, 0, 9, 9});
  for (const auto& [precision, near] : {std::pair{Precision::f32, Tolerance{1e-4, 1e-4}},
                                        std::pair{Precision::bf16, Tolerance{0.05, 0.05}},
                                        std::pair{Precision::int8, Tolerance{0.1, 0.1}}}) {
    Init init(place(), 3);
    SmallNetwork network(init);
    const Tensor before = network(ids);
    const int64_t parameters = count_parameters(network);
    serve(network, precision);
    EXPECT_EQ(count_parameters(network), parameters);
    EXPECT_TRUE(close(network(ids).values(), before.values(), near));
    EXPECT_THAT([&] { parameters_of(network); },
                ThrowsMessage<Error>(HasSubstr("load the model anew")));
  }
}

TEST_P(ServedModules, HoldEachWeightOnce) {
  const int64_t before = place().backend->allocator().statistics().live_bytes;
  const auto held = [&] { return place().backend->allocator().statistics().live_bytes - before; };
  Init init(place(), 3);
  SmallNetwork network(init);
  const int64_t built = held();
  serve(network, Precision::f32);
  // Panels are filled up with zeros, and the allocator's sizes lie up to a quarter apart.
  EXPECT_LE(held(), built + built / 4);
  Init again(place(), 3);
  SmallNetwork smaller(again);
  const int64_t served = held();
  serve(smaller, Precision::int8);
  const bool is_packed = has_packed_products(place());
  EXPECT_LE(held() - served, is_packed ? -built / 2 : 0);
}

/// What is taken from the system, the most of it at a time, and how often it was asked to take back.
struct Taken {
  int64_t now = 0;
  int64_t most = 0;
  int64_t trims = 0;
};

class MeasuredMemory : public RawMemory {
 public:
  explicit MeasuredMemory(Taken& taken) : taken_(taken) {}
  void* allocate(size_t bytes, Stream stream) override {
    taken_.now += static_cast<int64_t>(bytes);
    taken_.most = std::max(taken_.most, taken_.now);
    return host_->allocate(bytes, stream);
  }
  void free(void* pointer, size_t bytes, Stream stream) override {
    taken_.now -= static_cast<int64_t>(bytes);
    host_->free(pointer, bytes, stream);
  }
  void trim() override { ++taken_.trims; }

 private:
  Taken& taken_;
  std::unique_ptr<RawMemory> host_ = host_memory();
};

/// Layers of many sizes, so that one's memory does not fit another.
class UnlikeLayers : public Module {
 public:
  UnlikeLayers(Init& init, const std::vector<int64_t>& widths) {
    for (const int64_t out : widths) {
      layers_.push_back(std::make_unique<Linear>());
      layers_.back()->build(512, out, init);
    }
  }
  void describe(Describer& d) override { d.children("layers", layers_); }

 private:
  std::vector<std::unique_ptr<Linear>> layers_;
};

TEST(ServedModels, AreNeverTwiceInMemory) {
  Taken taken;
  RecordingBackend backend(forced("cpu"), 0, std::make_unique<MeasuredMemory>(taken));
  Init init({&backend, DType::f32}, 3);
  UnlikeLayers network(init, {600, 800, 1000, 1300});
  const int64_t built = taken.now;
  serve(network, Precision::f32);
  EXPECT_GT(taken.most, built);
  EXPECT_LE(taken.most, built + 6 * built / 10);  // the largest is a third of all
  EXPECT_LE(taken.now, built + built / 4);
}

/// On a GPU, giving memory back stops everything that runs.
TEST(ServedModels, GiveMemoryBackInAFewLots) {
  Taken taken;
  RecordingBackend backend(forced("cpu"), 0, std::make_unique<MeasuredMemory>(taken));
  Init init({&backend, DType::f32}, 3);
  std::vector<int64_t> widths;
  for (int64_t i = 0; i < 60; ++i) {
    widths.push_back(600 + 10 * i);
  }
  UnlikeLayers network(init, widths);
  const int64_t built = taken.now;
  serve(network, Precision::f32);
  EXPECT_LE(taken.trims, 10) << "of 60 weights, 1 to 2 MB each";
  EXPECT_LE(taken.most, built + built / 4);
}

}  // namespace
}  // namespace heed::test::precision_test
