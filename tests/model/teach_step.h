// Rule 4 as a check: logits and weights of every position by stepping, against teaching.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "heed/ops/slice.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/support/tolerance.h"

namespace heed::test {

/// Logits and weights of every position by stepping, against teaching.
inline void expect_teach_equals_steps(const Model& model, const Place& place,
                                      const std::string& what) {
  const NoGrad no_grad;
  const Batch batch = small_batch(place);
  const SmallPairs pairs;
  Pass pass = Pass::serving();
  const Report report{.weights = true};
  const auto memory = std::make_shared<const Remembered>(model.remember(batch.source, pass));
  const Decoded taught =
      model.decoder().teach(*memory, {batch.target_in, batch.target, report}, pass);
  std::vector<int32_t> every(pairs.source.size());
  std::iota(every.begin(), every.end(), 0);
  State state = model.autoregressive().begin(memory, every);
  for (int32_t t = 0; t < batch.target.width(); ++t) {
    std::vector<int32_t> fed;
    for (const auto& target : pairs.target) {
      const bool has_word = t > 0 && t <= static_cast<int32_t>(target.size());
      fed.push_back(t == 0 ? 2 : has_word ? target[static_cast<size_t>(t) - 1] : 0);
    }
    const Tensor ids = Tensor::of(fed, {static_cast<int64_t>(fed.size())}, place.with(DType::i32));
    const Decoded stepped = model.autoregressive().step(state, ids, report, pass);
    for (size_t b = 0; b < pairs.target.size(); ++b) {
      if (t >= batch.target.lengths()[b]) {
        continue;
      }
      const int64_t row = batch.target.starts()[b] + t;
      EXPECT_TRUE(close(slice(stepped.logits, 0, static_cast<int64_t>(b), 1),
                        slice(taught.logits, 0, row, 1), 256))
          << what << ", sentence " << b << ", word " << t;
      ASSERT_EQ(stepped.reports.size(), taught.reports.size()) << what;
      for (size_t n = 0; n < stepped.reports.size(); ++n) {
        EXPECT_TRUE(close(slice(stepped.reports[n].weights, 0, static_cast<int64_t>(b), 1),
                          slice(taught.reports[n].weights, 0, row, 1), 256))
            << what << ", block " << n;
      }
    }
  }
}

}  // namespace heed::test
