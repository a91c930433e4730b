// How many calls of its backend a training step and a decoding step make. Their number does not depend
// on widths, so the models are narrow; their depth and the length of the sentences are those of
// bench/train_step.
#include <gtest/gtest.h>

#include <map>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/model/model.h"
#include "heed/nn/precision.h"
#include "heed/search/search.h"
#include "heed/tensor/tape.h"
#include "heed/train/clip.h"
#include "heed/train/loss.h"
#include "heed/train/optimisers.h"
#include "tests/support/backends.h"
#include "tests/support/recording_backend.h"

namespace heed::test::calls_test {
namespace {

constexpr int32_t words = 50;
constexpr int64_t sentences = 3;
constexpr int64_t length = 32;

/// Sentences of one length, the end token included.
Batch batch_at(const Place& place) {
  IdSequences all;
  for (int64_t b = 0; b < sentences; ++b) {
    all.emplace_back();
    for (int64_t t = 0; t + 1 < length; ++t) {
      all.back().push_back(static_cast<int32_t>(4 + (3 * b + 5 * t) % (words - 4)));
    }
  }
  return batch_of_ids(all, all, place);
}

constexpr const char* transformer_base =
    R"({"embedding": 32, "share_embeddings": true, "dropout": 0.0,
    "encoder": {"kind": "transformer", "width": 32, "depth": 6, "dropout": 0.1,
      "self": {"heads": 8, "dropout": 0.1}, "feed_forward": {"width": 64, "dropout": 0.1}},
    "decoder": {"kind": "transformer", "width": 32, "depth": 6, "dropout": 0.1,
      "self": {"heads": 8, "dropout": 0.1}, "cross": {"heads": 8, "dropout": 0.1},
      "feed_forward": {"width": 64, "dropout": 0.1}}})";

Model& built(Model& model, const std::string& settings, const Place& place) {
  apply(model, parse_json(settings, "test"));
  Init init(place, 1);
  model.build(RowForm::ids(words), RowForm::ids(words), init);
  return model;
}

/// Calls by their names; asking for a plan is none.
using Counts = std::map<std::string, int64_t>;

Counts counts_of(const Recording& recording) {
  Counts counts;
  for (const std::string& call : recording.calls) {
    const std::string name = call.substr(0, call.find(' '));
    if (name != "attend_plan") {
      ++counts[name];
      ++counts["all"];
    }
  }
  return counts;
}

/// The third training step.
Recording training_step(const std::string& settings) {
  RecordingBackend backend(forced("cpu"));
  const Place place{&backend, DType::f32};
  Model model;
  built(model, settings, place);
  const auto parameters = distinct_parameters_of(model);
  const auto optimiser = make_part(optimisers(), "adam");
  optimiser->attach(parameters);
  const Batch batch = batch_at(place);
  for (uint64_t step = 0; step < 3; ++step) {
    backend.take();
    for (const NamedParameter& parameter : parameters) {
      parameter.tensor->clear_gradient();
    }
    Pass pass = Pass::training(1, step);
    teacher_forcing_loss(model, batch, 0.1, pass).backward();
    optimiser->step(1e-4, clip_factor(gradient_norm(parameters), 1));
  }
  return backend.take();
}

/// A decoding step in the middle of three sentences, which the host reads.
Recording decoding_step(const std::string& settings, int64_t beam) {
  RecordingBackend backend(forced("cpu"));
  const Place place{&backend, DType::f32};
  Model model;
  built(model, settings, place);
  serve(model, Precision::f32);
  Pass pass = Pass::serving();
  const NoGrad no_gradients;
  const std::shared_ptr<const Remembered> memory[] = {
      std::make_shared<const Remembered>(model.remember(batch_at(place).source, pass))};
  const Scorer scorers[] = {{&model.autoregressive()}};
  SearchOptions options;
  options.beam = beam;
  options.max_length_margin = 30;
  Search search(scorers, place, options);
  search.admit(memory);
  for (int step = 0; step < 6; ++step) {
    backend.take();
    search.step();
  }
  EXPECT_FALSE(search.is_done());
  return backend.take();
}

void expect_at_most(int64_t most, const Recording& recording) {
  const Counts counts = counts_of(recording);
  std::string all;
  for (const auto& [name, count] : counts) {
    all += " " + name + " " + std::to_string(count);
  }
  EXPECT_LE(counts.at("all"), most) << all;
}

TEST(Calls, OfTransformerBase) { expect_at_most(523, training_step(transformer_base)); }

TEST(Calls, OfADecodingStepOfTransformerBase) {
  expect_at_most(88, decoding_step(transformer_base, 1));
}

TEST(Calls, OfBothDirectionsAndAdditiveAttention) {
  expect_at_most(808, training_step(R"({"embedding": 32,
      "encoder": {"kind": "lstm", "width": 16, "depth": 2, "direction": "both"},
      "decoder": {"kind": "attend_after", "cell": "lstm", "width": 32, "embedding": 32,
        "attention": {"score": {"kind": "additive", "width": 32}}}})"));
}

TEST(Calls, UploadTheSlopesOfAlibiOnce) {
  const std::string self = R"("position": "alibi", "width": 32, "self": {"heads": 4})";
  const std::string settings = R"({"embedding": 32, "encoder": {"kind": "transformer", )" + self +
                               R"(}, "decoder": {"kind": "transformer", )" + self + "}}";
  for (const Recording& step : {training_step(settings), decoding_step(settings, 2)}) {
    EXPECT_GT(step.uploads, 0);  // of the batch, or of what was chosen
    for (const std::string& call : step.calls) {
      EXPECT_FALSE(call.starts_with("upload") && call.ends_with("[4, 1, 1, 1]")) << call;
    }
  }
}

}  // namespace
}  // namespace heed::test::calls_test
