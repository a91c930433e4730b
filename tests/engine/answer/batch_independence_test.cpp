// What a model that serves answers to a source has the same bits whatever is searched with it: every
// encoder and decoder, and every part of attention in each of its places, with sources of very
// different lengths, in batches of one and of many.
#include <gtest/gtest.h>

#include <random>

#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/engine/answer/answer.h"
#include "heed/model/decoders.h"
#include "heed/model/encoders.h"
#include "heed/nn/precision.h"
#include "tests/backend/cpu/each_target.h"
#include "tests/engine/small_trained_model.h"

namespace heed::batch_independence_test {
namespace {

std::vector<std::string> sources() {
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

struct Case {
  std::string name;
  std::string settings;  // of the model
};

TrainedModel served(const Case& one, Precision precision) {
  TrainedModel trained;
  trained.model = std::make_unique<Model>();
  apply(*trained.model, parse_json(R"({"embedding": 24, "encoder": {"kind": "gru", "width": 24},
    "decoder": {"kind": "attend_first", "width": 24, "embedding": 12}})",
                                   "test"));
  apply(*trained.model, parse_json(one.settings, one.name));
  trained.fields =
      learn_fields(test::letters(), {.source = "characters",
                                     .target = "characters",
                                     .target_specials = trained.model->needed_specials()});
  Init init(place_on("cpu"), 5);
  trained.model->build(trained.fields, init);
  serve(*trained.model, precision);
  return trained;
}

std::vector<Replies> answers(const TrainedModel& trained, int64_t batch) {
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
void expect_same_in_any_batch(const TrainedModel& trained) {
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

std::string part(const std::string& what, const std::string& name, const std::string& more = "") {
  return "\"" + what + R"(": {"kind": ")" + name + "\"" + more + "}";
}

/// A part of attention in each of its places.
void add_everywhere(std::vector<Case>& all, const std::string& what, const std::string& name) {
  const std::string choice = "\"" + what + "\": \"" + name + "\"";
  all.push_back(
      {"attend_first " + name,
       "{" + part("decoder", "attend_first", R"(, "attention": {)" + choice + "}") + "}"});
  for (const auto& [place, kind] : {std::pair{"cross", "decoder"}, {"self", "encoder"}}) {
    const std::string block = std::string(R"(, "width": 24, ")") + place + R"(": {"heads": 2, )";
    all.push_back(
        {place + (" " + name), "{" + part(kind, "transformer", block + choice + "}") + "}"});
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& encoder : encoders().names()) {
    if (encoder == "identity" || encoder == "none") {
      continue;  // they read no text
    }
    for (const std::string decoder : {"attend_after", "transformer"}) {
      all.push_back({encoder + " " + decoder,
                     "{" + part("encoder", encoder) + ", " + part("decoder", decoder) + "}"});
    }
  }
  for (const std::string& decoder : decoders().names()) {
    all.push_back({"transformer " + decoder,
                   "{" + part("encoder", "transformer") + ", " + part("decoder", decoder) + "}"});
  }
  for (const std::string& name : scores().names()) {
    add_everywhere(all, "score", name);
  }
  for (const std::string& name : normalisers().names()) {
    add_everywhere(all, "normaliser", name);
  }
  for (const std::string& name : focuses().names()) {
    add_everywhere(all, "focus", name);
  }
  return all;
}

/// Some parts fit only some places.
TEST(Batches, ChangeNoBitOfAnAnswer) {
  int answered = 0;
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    std::optional<TrainedModel> trained;
    try {
      trained.emplace(served(one, Precision::f32));
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage) << error.what();
      continue;
    }
    expect_same_in_any_batch(*trained);
    ++answered;
  }
  EXPECT_GT(answered, 80);
}

/// Products of few rows and of many are different kernels, which must round alike on every CPU.
TEST(Batches, ChangeNoBitOnOtherTargetsAndInOtherPrecisions) {
  test::on_each_target([] {
    for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
      for (const std::string decoder : {"attend_first", "transformer", "ctc"}) {
        SCOPED_TRACE(decoder);
        expect_same_in_any_batch(served(
            {decoder, "{" + part("encoder", "transformer") + ", " + part("decoder", decoder) + "}"},
            precision));
      }
    }
  });
}

}  // namespace
}  // namespace heed::batch_independence_test
