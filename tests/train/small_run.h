// A run small enough to train in a moment: two or three letters of ten, to be reversed.
#pragma once

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/data/learn_fields.h"
#include "heed/train/trainer.h"
#include "tests/base/scratch_directory.h"
#include "tests/support/backends.h"

namespace heed::test {

inline std::vector<Example> backwards(int first, int count) {
  std::vector<Example> examples;
  for (int i = first; i < first + count; ++i) {
    const std::string a(1, static_cast<char>('a' + i % 10));
    const std::string b(1, static_cast<char>('a' + i / 10 % 10));
    const std::string c(1, static_cast<char>('a' + i / 7 % 10));
    examples.push_back(i % 3 == 0 ? Example{a + " " + b, b + " " + a}
                                  : Example{a + " " + b + " " + c, c + " " + b + " " + a});
  }
  return examples;
}

/// What the vocabulary of such a model must have.
inline std::vector<Special> specials_of(const std::string& model) {
  Model made;
  apply(made, parse_json(model, "test"));
  return made.needed_specials();
}

struct SmallRun {
  /// `changes` to the training's settings, `model` to the model's, as a recipe would say them.
  explicit SmallRun(const std::string& changes = "{}", const std::string& model = "{}",
                    const Place& place = {&forced("reference"), DType::f32})
      : fields(learn_fields(backwards(0, 80), {.target_specials = specials_of(model)})),
        train(backwards(0, 80), fields),
        valid(backwards(80, 20), fields) {
    apply(training, parse_json(R"({"steps": 12, "batch_sentences": 8, "seed": 5, "save_every": 4,
      "validate_every": 6, "log_every": 3, "keep": 2, "optimiser": {"learning_rate": 0.02}})",
                               "test"));
    apply(training, parse_json(changes, "test"));
    trained.model = std::make_unique<Model>();
    apply(*trained.model,
          parse_json(R"({"embedding": 6, "dropout": 0.1, "encoder": {"kind": "bag"}, "decoder":
      {"kind": "attend_first", "width": 6, "embedding": 6}})",
                     "test"));
    apply(*trained.model, parse_json(model, "test"));
    trained.fields = fields;
    Init init(place, static_cast<uint64_t>(training.seed));
    trained.model->build(fields, init);
  }

  TrainReport run(const std::string& folder) {
    options.run = folder;
    if (options.data == Json()) {
      options.data = parse_json(R"({"task": "backwards", "count": 80})", "test");
    }
    options.hooks.say = [this](const std::string& line) { said += line + "\n"; };
    return Trainer(options, training, trained, train, valid).run();
  }

  /// The first `count` examples of the training data.
  Batch batch(int64_t count) const {
    std::vector<int64_t> which(static_cast<size_t>(count));
    std::iota(which.begin(), which.end(), 0);
    return make_batch(train.items(which), trained.model->place());
  }

  /// Every weight, one behind the other.
  std::vector<float> weights() const {
    std::vector<float> all;
    for (const NamedParameter& parameter : distinct_parameters_of(*trained.model)) {
      const auto some = parameter.tensor->values<float>();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

  Fields fields;
  Corpus train;
  Corpus valid;
  Training training;
  TrainedModel trained;
  TrainOptions options;
  std::string said;
};

/// The message of the Error that `act` throws, which must be of this kind.
template <class Act>
std::string failure(Fault fault, Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

/// Asks to stop once `step` is done.
inline void stop_after(SmallRun& run, int64_t step) {
  auto reached = std::make_shared<int64_t>(0);
  run.options.hooks.on_step = [reached](const StepReport& report) { *reached = report.step; };
  run.options.hooks.interrupt = [reached, step] { return *reached >= step ? 143 : 0; };
}

/// Sets the first weight of the model, whatever it was, and returns what it was.
inline double poison(SmallRun& run, double value) {
  const Tensor& tensor = *distinct_parameters_of(*run.trained.model).front().tensor;
  const View first = dense_view(tensor.view().data, tensor.dtype(), {1});
  float before = 0;
  tensor.backend().download(&before, first);
  tensor.backend().fill(first, value);
  return before;
}

/// metrics.jsonl without what depends on the clock.
inline std::string metrics_of(const std::string& folder) {
  std::string all;
  std::string text = read_file(folder + "/metrics.jsonl");
  while (!text.empty()) {
    const std::string line = text.substr(0, text.find('\n'));
    text.erase(0, line.size() + 1);
    Json json = parse_json(line, "metrics");
    all += json.set("tokens_per_second", 0).write() + "\n";
  }
  return all;
}

/// A run that is stopped after 5 of its 12 steps and resumed ends like one that is not.
inline void expect_goes_on_exactly(const std::string& training, const std::string& model) {
  SCOPED_TRACE(training + " " + model);
  const ScratchDirectory scratch;
  SmallRun whole(training, model);
  const TrainReport expected = whole.run(scratch / "whole");
  SmallRun first(training, model);
  stop_after(first, 5);
  EXPECT_EQ(first.run(scratch / "cut").ending, Ending::interrupted);
  SmallRun second(training, model);
  poison(second, 0.25);
  EXPECT_EQ(second.run(scratch / "cut").state, expected.state);
  EXPECT_EQ(metrics_of(scratch / "cut"), metrics_of(scratch / "whole"));
  for (const char* name : {"/model.safetensors", "/checkpoints/step-00000012.safetensors"}) {
    EXPECT_EQ(read_file(scratch.path() + "/cut" + name),
              read_file(scratch.path() + "/whole" + name))
        << name;
  }
}

}  // namespace heed::test
