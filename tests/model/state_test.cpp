// A reordered state continues like one that was fed the same words from the start.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/support/tolerance.h"

namespace heed::test::state_test {
namespace {

using Words = std::vector<std::vector<int32_t>>;  // of each hypothesis

class Reordered : public ::testing::TestWithParam<std::string> {};

Tensor fed(const Autoregressive& decoder, State& state, const Words& words, size_t at,
           const Place& place) {
  std::vector<int32_t> ids;
  for (const auto& said : words) {
    ids.push_back(said[at]);
  }
  Pass pass = Pass::serving();
  const auto count = static_cast<int64_t>(ids.size());
  return decoder.step(state, Tensor::of(ids, {count}, place.with(DType::i32)), {}, pass).logits;
}

/// The logits after every hypothesis was fed its words from the start.
Tensor anew(const Model& model, const std::shared_ptr<const Remembered>& memory,
            const std::vector<int32_t>& memory_of, const Words& words) {
  State state = model.autoregressive().begin(memory, memory_of);
  Tensor logits;
  for (size_t t = 0; t < words.front().size(); ++t) {
    logits = fed(model.autoregressive(), state, words, t, model.place());
  }
  return logits;
}

/// Parents in the same sentence, as a beam has them.
std::vector<int32_t> siblings(const std::vector<int32_t>& memory_of, std::mt19937& random) {
  std::vector<int32_t> parent;
  for (const int32_t sentence : memory_of) {
    int32_t row = 0;
    do {
      row = static_cast<int32_t>(random() % memory_of.size());
    } while (memory_of[static_cast<size_t>(row)] != sentence);
    parent.push_back(row);
  }
  return parent;
}

/// Parents anywhere: rows that stay, copies, swaps and cycles; or siblings.
std::vector<int32_t> parents(const std::vector<int32_t>& memory_of, size_t count,
                             std::mt19937& random) {
  if (count == memory_of.size() && random() % 3 != 0) {
    return siblings(memory_of, random);
  }
  std::vector<int32_t> parent;
  while (parent.size() < count) {
    const auto row = static_cast<int32_t>(random() % memory_of.size());
    const bool stays = parent.size() < memory_of.size() && random() % 3 == 0;
    parent.push_back(stays ? static_cast<int32_t>(parent.size()) : row);
  }
  if (count == memory_of.size() && random() % 2 == 0) {  // a permutation
    std::vector<int32_t> turned(count);
    for (size_t q = 0; q < count; ++q) {
      turned[q] = static_cast<int32_t>((q + 1 + random() % 2 * (q % 2)) % count);
    }
    return turned;
  }
  return parent;
}

TEST_P(Reordered, GoesOnAsIfItHadSaidTheSame) {
  const NoGrad no_grad;
  const Place place{&forced("far"), DType::f32};
  const auto model = small_model("transformer", "transformer", place, GetParam());
  const Batch batch = small_batch(place);
  Pass pass = Pass::serving();
  const auto memory = std::make_shared<const Remembered>(model->remember(batch.source, pass));
  std::mt19937 random(5);
  std::vector<int32_t> memory_of = {0, 0, 0, 1, 1, 2, 2, 2};
  Words words(memory_of.size());
  State state = model->autoregressive().begin(memory, memory_of);
  for (size_t t = 0; t < 40; ++t) {
    for (auto& said : words) {
      said.push_back(static_cast<int32_t>(3 + random() % (target_words - 3)));
    }
    const Tensor logits = fed(model->autoregressive(), state, words, t, place);
    ASSERT_TRUE(close(logits, anew(*model, memory, memory_of, words), 64)) << t;
    const size_t count = t % 7 == 6 ? 3 + random() % 8 : words.size();
    const std::vector<int32_t> parent = parents(memory_of, count, random);
    Words chosen;
    std::vector<int32_t> of;
    for (const int32_t row : parent) {
      chosen.push_back(words[row]);
      of.push_back(memory_of[row]);
    }
    if (of == memory_of) {  // same number and sentences, so the host need not know the parents
      state.reorder(Tensor::of(parent, {static_cast<int64_t>(count)}, place.with(DType::i32)));
    } else {
      state.select(parent);
    }
    words = chosen;
    memory_of = of;
    ASSERT_EQ(state.memory_of().values<int32_t>(), memory_of);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Reordered,
    ::testing::Values(
        "{}", R"({"decoder": {"self": {"heads": 1, "project": false, "score": "dot"}}})",
        R"({"decoder": {"self": {"score": "additive"}, "position": "rotary"}})",
        R"({"decoder": {"self": {"heads": 1, "project": false, "score": "location"}}})"));

/// The largest number in slots that no hypothesis has written.
double most_unwritten(const State& state) {
  const std::vector<int32_t> fed = state.position().number.values<int32_t>();
  double most = 0;
  for (const Memory& cache : state.caches) {
    for (const Tensor& part : {cache.keys, cache.values}) {
      const std::vector<double> all = part.dense().values();
      const auto slots = static_cast<size_t>(part.size(2));
      const auto width = static_cast<size_t>(part.size(3));
      for (size_t i = 0; i < all.size(); ++i) {
        const size_t row = i / (all.size() / fed.size());
        const bool is_written = i / width % slots < static_cast<size_t>(fed[row]);
        most = is_written ? most : std::max(most, std::abs(all[i]));
      }
    }
  }
  return most;
}

/// Rows leave and join, long and short ones: what a row has not written is 0, whoever had it before.
TEST(Caches, AreEmptyWhereNothingWasWritten) {
  const NoGrad no_grad;
  for (const char* backend : {"cpu", "far"}) {
    const auto model = small_model("gru", "transformer", {&forced(backend), DType::f32});
    const Autoregressive& decoder = model->autoregressive();
    Pass pass = Pass::serving();
    const auto memory = std::make_shared<const Remembered>(
        model->remember(batch_of_ids({{3, 4, 5}}, {}, model->place()).source, pass));
    std::mt19937 random(7);
    const int32_t both[] = {0, 0};
    State state = decoder.begin(memory, both);
    state.arrange_sources(std::vector<int32_t>{0}, 128);
    int32_t place = 1;
    for (int turn = 0; turn < 120; ++turn) {
      const auto rows = static_cast<size_t>(state.hypotheses());
      if (turn % 3 == 0) {
        std::vector<int32_t> left;
        for (size_t q = 0; q < 1 + random() % 5; ++q) {
          left.push_back(static_cast<int32_t>(random() % rows));
        }
        state.select(left);
      } else if (turn % 3 == 1) {
        const int32_t at[] = {place++};
        state.join(decoder.begin(memory, both), at);
      }
      EXPECT_EQ(most_unwritten(state), 0) << backend << ", turn " << turn;
      const Words words(static_cast<size_t>(state.hypotheses()), {5});
      for (size_t t = 0; t < 1 + random() % 4; ++t) {
        fed(decoder, state, words, 0, model->place());
      }
      EXPECT_EQ(most_unwritten(state), 0) << backend << ", turn " << turn;
    }
  }
}

}  // namespace
}  // namespace heed::test::state_test
