// Whether what a model that serves answers to a source has the same bits whatever is searched with it:
// sources of very different lengths, in batches of one and of many.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/engine/answer/answer.h"
#include "heed/nn/precision.h"
#include "tests/engine/small_trained_model.h"

namespace heed::test {

inline std::vector<std::string> sources() {
  std::vector<std::string> all;
  std::mt19937 draw(7);
  for (const size_t length : {1, 40, 2, 9, 17, 3, 26, 8, 33, 65, 5, 14}) {
    std::string& text = all.emplace_back();
    for (size_t i = 0; i < length; ++i) {
      text += "abcd"[draw() % 4];
    }
  }
  return all;
}

struct ServedCase {
  std::string name;
  std::string settings;  // of the model
};

inline TrainedModel served(const ServedCase& one, Precision precision) {
  TrainedModel trained;
  trained.model = std::make_unique<Model>();
  apply(*trained.model, parse_json(R"({"embedding": 24, "encoder": {"kind": "gru", "width": 24},
    "decoder": {"kind": "attend_first", "width": 24, "embedding": 12}})",
                                   "test"));
  apply(*trained.model, parse_json(one.settings, one.name));
  trained.fields = learn_fields(letters(), {.source = "characters",
                                            .target = "characters",
                                            .target_specials = trained.model->needed_specials()});
  Init init(place_on("cpu"), 5);
  trained.model->build(trained.fields, init);
  serve(*trained.model, precision);
  return trained;
}

inline std::vector<Replies> answers(const TrainedModel& trained, int64_t batch) {
  AnswerOptions options;
  const bool labels = dynamic_cast<const Labelling*>(&trained.model->decoder()) != nullptr;
  options.search.beam = labels ? 1 : 5;
  options.search.weights = true;
  options.search.max_length_factor = 0.2;
  options.search.max_length_margin = 8;
  options.batch = batch;
  return answer(trained, sources(), options);
}

/// Searched with sources of other lengths, each finds what it finds alone.
inline void expect_same_in_any_batch(const TrainedModel& trained) {
  const auto alone = answers(trained, 1);
  for (const int64_t batch : {3, 64}) {
    const auto together = answers(trained, batch);
    for (size_t i = 0; i < alone.size(); ++i) {
      const Reply& a = alone[i].front();
      const Reply& b = together[i].front();
      EXPECT_EQ(a.ids, b.ids) << i;
      EXPECT_EQ(a.score, b.score) << i;
      EXPECT_EQ(a.log_probability, b.log_probability) << i;
      EXPECT_TRUE(a.looked().weights.values == b.looked().weights.values) << i;
    }
  }
}

inline std::string part(const std::string& what, const std::string& name,
                        const std::string& more = "") {
  return "\"" + what + R"(": {"kind": ")" + name + "\"" + more + "}";
}

}  // namespace heed::test
