// What a model that serves answers to a source has the same bits whatever is searched with it: every
// encoder, decoder and part of attention, with sources of very different lengths, in batches of one and
// of many.
#include <gtest/gtest.h>

#include <random>

#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/engine/answer/answer.h"
#include "heed/model/decoders.h"
#include "heed/model/encoders.h"
#include "heed/nn/precision.h"
#include "tests/engine/small_trained_model.h"

namespace heed::test::batch_independence_test {
namespace {

std::vector<std::string> sources() {
  std::vector<std::string> all;
  std::mt19937 draw(7);
  for (const size_t length :
       {1, 40, 2, 9, 17, 3, 26, 8, 33, 1, 5, 64, 12, 7, 24, 4, 16, 90, 25, 6}) {
    std::string text;
    for (size_t i = 0; i < length; ++i) {
      text += "abcd"[draw() % 4];
    }
    all.push_back(text);
  }
  return all;
}

TrainedModel served(const std::string& settings, Precision precision) {
  TrainedModel trained;
  trained.fields = learn_fields(letters(), {.source = "characters", .target = "characters"});
  trained.model = std::make_unique<Model>();
  apply(*trained.model, parse_json(R"({"embedding": 24, "encoder": {"kind": "gru", "width": 20},
    "decoder": {"kind": "attend_first", "width": 36, "embedding": 12}})",
                                   "test"));
  apply(*trained.model, parse_json(settings, "test"));
  Init init(place_on("cpu"), 5);
  trained.model->build(trained.fields, init);
  serve(*trained.model, precision);
  return trained;
}

AnswerOptions searched(const TrainedModel& trained, int64_t beam, int64_t batch) {
  AnswerOptions options;
  const bool labels = dynamic_cast<const Labelling*>(&trained.model->decoder()) != nullptr;
  options.search.beam = labels ? 1 : beam;
  options.search.weights = true;
  options.search.length_factor = 0.3;
  options.search.length_margin = 12;
  options.batch = batch;
  return options;
}

/// The number of sources whose answers differ.
int differing(const TrainedModel& trained, int64_t beam) {
  const std::vector<std::string> lines = sources();
  const auto together = answer(trained, lines, searched(trained, beam, 64));
  int count = 0;
  for (const int64_t batch : {1, 3}) {
    const auto apart = answer(trained, lines, searched(trained, beam, batch));
    for (size_t i = 0; i < lines.size(); ++i) {
      const Reply& a = together[i].front();
      const Reply& b = apart[i].front();
      const bool is_same = a.ids == b.ids && a.score == b.score &&
                           a.log_probability == b.log_probability &&
                           a.looked().weights.values == b.looked().weights.values;
      if (!is_same && std::getenv("SHOW")) {
        std::printf("batch %ld source %zu of %zu letters\n", (long)batch, i, lines[i].size());
        for (size_t k = 0; k < a.looked().weights.values.size(); ++k) {
          const float x = a.looked().weights.values[k], y = b.looked().weights.values[k];
          if (x != y) {
            std::printf("  weight %zu of %zu columns: %a %a\n", k, a.looked().weights.columns, x,
                        y);
            break;
          }
        }
        std::printf("  %a %a\n", a.score, b.score);
      }
      count += is_same ? 0 : 1;
    }
  }
  return count;
}

struct Case {
  std::string name;
  std::string settings;
};

std::string attention(const std::string& decoder, const std::string& parts, int heads = 1) {
  return R"({"decoder": {"kind": ")" + decoder + R"(", "attention": {"heads": )" +
         std::to_string(heads) + ", " + parts + "}}}";
}

std::string kind(const char* what, const std::string& name, const std::string& more = "") {
  return "\"" + std::string(what) + R"(": {"kind": ")" + name + "\"" + more + "}";
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&all](const std::string& name, const std::string& settings) {
    all.push_back({name, "{" + settings + "}"});
  };
  for (const std::string& encoder : encoders().names()) {
    if (encoder != "identity" && encoder != "none") {
      add(encoder, kind("encoder", encoder) + ", " + kind("decoder", "attend_first"));
      add(encoder + " to transformer",
          kind("encoder", encoder) + ", " + kind("decoder", "transformer"));
    }
  }
  for (const std::string& decoder : decoders().names()) {
    add("to " + decoder, kind("encoder", "transformer") + ", " + kind("decoder", decoder));
  }
  const auto parts = [&](const std::string& what, const std::string& part) {
    add("attend_after " + what, kind("decoder", "attend_after", ", \"attention\": {" + part + "}"));
    add("cross " + what, kind("encoder", "gru", ", \"width\": 24") + ", " +
                             kind("decoder", "transformer",
                                  ", \"width\": 24, \"cross\": {\"heads\": 2, " + part + "}"));
    add("self " + what,
        kind("encoder", "transformer", ", \"width\": 24, \"self\": {\"heads\": 2, " + part + "}"));
  };
  for (const std::string& score : scores().names()) {
    parts(score, "\"score\": \"" + score + "\"");
    for (const std::string& normaliser : normalisers().names()) {
      parts(score + " " + normaliser,
            "\"score\": \"" + score + "\", \"normaliser\": \"" + normaliser + "\"");
    }
    for (const std::string& focus : focuses().names()) {
      parts(score + " " + focus, "\"score\": \"" + score + "\", \"focus\": \"" + focus + "\"");
    }
  }
  return all;
}

TEST(Batches, ChangeNoBitOfAnAnswer) {
  for (const Case& one : cases()) {
    if (const char* only = std::getenv("ONLY"); only && one.name.find(only) == std::string::npos)
      continue;
    try {
      const TrainedModel trained = served(one.settings, Precision::f32);
      for (const int64_t beam : {1, 5}) {
        const int count = differing(trained, beam);
        if (count > 0) std::printf("DIFFER %s beam %ld: %d\n", one.name.c_str(), (long)beam, count);
      }
    } catch (const Error& error) {
      std::printf("REFUSED %s: %s\n", one.name.c_str(), error.what());
    }
  }
}

}  // namespace
}  // namespace heed::test::batch_independence_test
