#include "heed/engine/shelf/self_test.h"

#include <cmath>

#include "heed/base/json.h"
#include "heed/base/thread_pool.h"
#include "heed/config/apply.h"
#include "heed/data/examples.h"
#include "heed/data/learn_fields.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/shelf/place.h"

namespace heed {
namespace {

constexpr double close_enough = 1e-4;

TrainedModel made_up_model(const std::string& backend) {
  const auto examples = made_up_examples({.task = "numbers", .count = 50});
  TrainedModel trained;
  trained.fields = learn_fields(examples, {.source = "words", .target = "characters"});
  trained.model = std::make_unique<Model>();
  apply(*trained.model, parse_json(R"({"embedding": 16, "encoder": {"kind": "gru", "width": 16},
    "decoder": {"kind": "transformer", "width": 16, "depth": 2, "cross": {"heads": 2}}})",
                                   "self-test"));
  Init init(place_on(backend), 1);
  trained.model->build(trained.fields, init);
  return trained;
}

std::vector<Reply> said_by(const TrainedModel& trained) {
  AnswerOptions options;
  options.search.beam = 3;
  options.search.max_length = 8;
  std::vector<std::string> lines;
  for (const Example& example : made_up_examples({.task = "numbers", .seed = 2, .count = 6})) {
    lines.push_back(example.source);
  }
  std::vector<Reply> all;
  for (Replies& replies : answer(trained, lines, options)) {
    all.push_back(std::move(replies.best.front()));
  }
  return all;
}

Check compared(const std::string& what, const std::vector<Reply>& seen,
               const std::vector<Reply>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const double off = std::abs(seen[i].log_probability - expected[i].log_probability);
    if (seen[i].text != expected[i].text || !(off <= close_enough)) {
      return {what, false,
              fmt::format("\"{}\" at log p {:.6f}, not \"{}\" at {:.6f}", seen[i].text,
                          seen[i].log_probability, expected[i].text, expected[i].log_probability)};
    }
  }
  return {what, true, ""};
}

template <class Act>
Check checked(const std::string& what, const std::vector<Reply>& expected, Act&& act) {
  try {
    return compared(what, act(), expected);
  } catch (const std::exception& error) {
    return {what, false, error.what()};
  }
}

}  // namespace

std::vector<Check> self_test(const std::vector<std::string>& backends) {
  const std::vector<Reply> expected = said_by(made_up_model("reference"));
  std::vector<Check> checks;
  for (const std::string& name : backends) {
    if (name == "reference") {
      continue;
    }
    checks.push_back(checked(name + " equals reference", expected,
                             [&name] { return said_by(made_up_model(name)); }));
  }
  checks.push_back(checked("a model file read back says the same", expected, [] {
    const TrainedModel made = made_up_model("cpu");
    const std::string bytes = format_safetensors(model_contents(made));
    return said_by(model_from(parse_safetensors(bytes, "self-test"), place_on("cpu"), "self-test"));
  }));
  checks.push_back(checked("one thread gives the same result as many", expected, [] {
    ThreadPool alone(1);
    const UsePool use(alone);
    return said_by(made_up_model("cpu"));
  }));
  return checks;
}

}  // namespace heed
