#include "heed/api/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/engine/answer/answer.h"
#include "heed/model/monotonic_decoding.h"
#include "tests/api/failure_of.h"
#include "tests/base/scratch_directory.h"
#include "tests/engine/matrix_of.h"
#include "tests/engine/small_language_model.h"

namespace heed::engine_test {
namespace {

using test::failure_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Loaded : public ::testing::Test {
 protected:
  Loaded() {
    save_model(path_, trained_);
    model_.emplace(engine_.load(path_));
  }

  ScratchDirectory scratch_;
  std::string path_ = scratch_ / "letters.safetensors";
  TrainedModel trained_ = test::small_trained_model();
  Engine engine_{{.backend = "reference", .threads = 2}};
  std::optional<LoadedModel> model_;
};

TEST_F(Loaded, SaysWhatTheEngineBelowSays) {
  const std::vector<std::string> texts = {"abc", "", "bad"};
  AnswerOptions options;
  options.search.beam = 3;
  options.search.n_best = 2;
  options.search.weights = true;
  options.search.max_length = 5;
  const auto expected = answer(trained_, texts, options);
  const std::vector<Answer> answers = model_->translate(
      {.sources = texts,
       .options = {.beam = 3, .n_best = 2, .weights = true, .settings = {{"max_length", 5}}}});
  ASSERT_EQ(answers.size(), 3U);
  for (size_t i = 0; i < answers.size(); ++i) {
    ASSERT_EQ(answers[i].outputs.size(), expected[i].best.size());
    for (size_t n = 0; n < expected[i].best.size(); ++n) {
      EXPECT_EQ(answers[i].outputs[n].text, expected[i].best[n].text);
      EXPECT_EQ(answers[i].outputs[n].score, expected[i].best[n].score);
      EXPECT_EQ(answers[i].outputs[n].target, expected[i].best[n].looked().rows);
      EXPECT_EQ(answers[i].outputs[n].source, expected[i].best[n].looked().columns);
      EXPECT_EQ(answers[i].outputs[n].weights, test::rows_of(expected[i].best[n].looked().weights));
      EXPECT_EQ(answers[i].outputs[n].ended, expected[i].best[n].ended);
    }
  }
  EXPECT_EQ(answers[1].best().text, "");
}

TEST_F(Loaded, SearchesAsTheFileWantsUnlessARequestSaysOtherwise) {
  trained_.search = parse_json(R"({"beam": 3, "max_length": 2})", "test");
  save_model(path_, trained_);
  const LoadedModel wanting = engine_.load(path_);
  AnswerOptions options;
  options.search.beam = 3;
  options.search.max_length = 2;
  const std::string expected =
      answer(trained_, std::vector<std::string>{"abc"}, options)[0].front().text;
  EXPECT_EQ(wanting.translate({.sources = {"abc"}}).front().best().text, expected);
  const RequestOptions greedy{.beam = 1, .settings = {{"max_length", 1}}};
  options.search.beam = 1;
  options.search.max_length = 1;
  const std::string shorter =
      answer(trained_, std::vector<std::string>{"abc"}, options)[0].front().text;
  EXPECT_NE(shorter, expected);
  EXPECT_EQ(wanting.translate({.sources = {"abc"}, .options = greedy}).front().best().text,
            shorter);
}

TEST_F(Loaded, EachRequestHasItsOwnOptions) {
  const auto outputs = [&](const RequestOptions& options) {
    return model_->translate({.sources = {"abc"}, .options = options}).front().outputs;
  };
  EXPECT_THAT(outputs({.n_best = 4}), SizeIs(4)) << "the beam is wide enough for it";
  EXPECT_THAT(outputs({}), SizeIs(1));
  EXPECT_THAT(outputs({}).front().weights, IsEmpty());
  EXPECT_TRUE(outputs({.prefix = "da"}).front().text.starts_with("da"));
  EXPECT_THAT(outputs({.beam = 4, .phrases = {"dab"}}).front().text, HasSubstr("dab"));
  const RequestOptions draws{
      .settings = {{"strategy", "sample"}, {"seed", 3}, {"temperature", 3.0}}};
  RequestOptions others = draws;
  others.settings["seed"] = 4;
  EXPECT_EQ(outputs(draws).front().text, outputs(draws).front().text);
  EXPECT_NE(outputs(draws).front().text, outputs(others).front().text);
  EXPECT_THAT(failure_of([&] {
                outputs({.settings = {{"beem", 3}}});
              }),
              AllOf(HasSubstr("2 request: unknown \"beem\"; choose one of"),
                    HasSubstr("did you mean \"beam\"?")));
  EXPECT_THAT(failure_of([&] { outputs({.beam = 0}); }),
              HasSubstr("2 request.search.beam: must be a whole number"));
  EXPECT_THAT(failure_of([&] {
                outputs({.settings = {{"coverage", "much"}}});
              }),
              HasSubstr("2 request.search.coverage: must be a number"));
}

TEST_F(Loaded, WhatIsAMemberMayBeASettingInstead) {
  const auto said = [&](const RequestOptions& options) {
    return model_->translate({.sources = {"ab. cd."}, .options = options}).front().outputs;
  };
  const std::pair<RequestOptions, RequestOptions> pairs[] = {
      {{.beam = 4}, {.settings = {{"beam", 4}}}},
      {{.n_best = 3}, {.settings = {{"n_best", 3}}}},
      {{.prefix = "da"}, {.settings = {{"prefix", "da"}}}},
      {{.splits = true}, {.settings = {{"whole", false}}}},
      {{.phrases = {"dab"}}, {.settings = {{"constrain", std::vector<std::string>{"dab"}}}}},
  };
  for (const auto& [member, setting] : pairs) {
    const std::string& name = setting.settings.begin()->first;
    const auto one = said(member);
    const auto other = said(setting);
    ASSERT_EQ(one.size(), other.size()) << name;
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].text, other[i].text) << name;
    }
    RequestOptions both = member;
    both.settings = setting.settings;
    EXPECT_THAT(failure_of([&, options = both] { said(options); }),
                HasSubstr("2 request: `" + name + "` is in the settings, and options."));
  }
  EXPECT_THAT(failure_of([&] {
                said({.phrases = {"dab"}, .settings = {{"strategy", "sample"}}});
              }),
              HasSubstr("2 request: phrases are for the strategy constrained"));
}

TEST_F(Loaded, TextsThatAreNotUtf8AreNamed) {
  EXPECT_THAT(failure_of([&] {
                model_->translate({.sources = {"abc", "a\xff"}});
              }),
              HasSubstr("3 source 2: byte 0xFF at position 1 is not UTF-8"));
  EXPECT_THAT(
      failure_of([&] { model_->translate({.sources = {"abc"}, .options = {.prefix = "\xff"}}); }),
      HasSubstr("3 prefix: byte 0xFF"));
  EXPECT_THAT(failure_of([&] {
                model_->translate({.sources = {"abc"}, .options = {.phrases = {"a", "b\xff"}}});
              }),
              HasSubstr("3 phrase 2: byte 0xFF"));
  // As settings they are checked as well.
  EXPECT_THAT(
      failure_of([&] {
        model_->translate({.sources = {"abc"}, .options = {.settings = {{"prefix", "\xff"}}}});
      }),
      HasSubstr("3 prefix: byte 0xFF"));
  const std::vector<std::string> phrases = {"a\xff"};
  EXPECT_THAT(
      failure_of([&] {
        model_->translate({.sources = {"abc"}, .options = {.settings = {{"constrain", phrases}}}});
      }),
      HasSubstr("3 phrase 1: byte 0xFF"));
  EXPECT_THAT(failure_of([&] { model_->align("\xff", "a"); }), HasSubstr("3 source: byte 0xFF"));
  EXPECT_THAT(failure_of([&] { model_->log_probability("a", "\xff"); }),
              HasSubstr("3 target: byte 0xFF"));
}

TEST_F(Loaded, APrecisionThatIsNotThereIsNamed) {
  EXPECT_THAT(failure_of([&] { engine_.load(path_, {.precision = "int4"}); }),
              HasSubstr("2 precision: unknown \"int4\"; choose one of f32, bf16, int8"));
}

/// The weight that is given to slots before the last word's peak, over all words but the first.
double weight_behind(const Output& output) {
  double behind = 0;
  for (size_t i = 1; i < output.weights.size(); ++i) {
    const std::vector<float>& last = output.weights[i - 1];
    const auto peak = std::max_element(last.begin(), last.end()) - last.begin();
    const auto now = output.weights[i].begin();
    behind += std::accumulate(now, now + peak, 0.0);
  }
  return behind;
}

TEST_F(Loaded, AttentionMayOnlyMoveForwards) {
  const LoadedModel forwards = engine_.load(path_, {.monotonic = true});
  const TrainedModel below = test::small_trained_model();
  look_forwards_only(*below.model);
  const std::vector<std::string> texts = {"abc", "bad", "cabd", "ddcab"};
  AnswerOptions options;
  options.search.max_length = 6;
  const auto expected = answer(below, texts, options);
  const RequestOptions asked{.weights = true, .settings = {{"max_length", 6}}};
  const auto free = model_->translate({.sources = texts, .options = asked});
  const auto said = forwards.translate({.sources = texts, .options = asked});
  double behind = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(weight_behind(said[i].best()), 0) << texts[i];
    EXPECT_EQ(said[i].best().text, expected[i].front().text);
    EXPECT_EQ(said[i].best().score, expected[i].front().score);
    behind += weight_behind(free[i].best());
  }
  EXPECT_GT(behind, 0.1) << "the constraint should change something";
}

TEST_F(Loaded, ModelsOfDifferentKindsAnswerTogether) {
  const TrainedModel across = test::small_trained_model(
      R"({"embedding": 8, "encoder": {"kind": "transformer", "width": 8},
          "decoder": {"kind": "transformer", "width": 8}})");
  save_model(scratch_ / "across.safetensors", across);
  const LoadedModel other = engine_.load(scratch_ / "across.safetensors");
  const std::vector<std::string> texts = {"abc", "bad"};
  const Request request{.sources = texts, .options = {.settings = {{"max_length", 5}}}};
  AnswerOptions options;
  options.search.max_length = 5;
  const TrainedModel* both[] = {&trained_, &across};
  const auto expected = answer(both, texts, options);
  const auto answers = model_->translate(request, {.ensemble = {other}});
  const auto alone = model_->translate(request);
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(answers[i].best().text, expected[i].front().text);
    EXPECT_EQ(answers[i].best().score, expected[i].front().score);
    EXPECT_NE(answers[i].best().score, alone[i].best().score);
  }
  const Engine elsewhere({.backend = "reference", .threads = 1});
  EXPECT_THAT(
      failure_of([&] { (void)model_->translate(request, {.ensemble = {elsewhere.load(path_)}}); }),
      HasSubstr(
          "2 request: number 2 of the ensemble belongs to another engine; load it with this one"));
  EXPECT_THAT(
      failure_of(
          [&] { (void)model_->translate(request, {.language_model = elsewhere.load(path_)}); }),
      HasSubstr("2 request: the language model belongs to another engine; load it with this one"));
  save_model(scratch_ / "words.safetensors", test::small_trained_model("{}", "words"));
  const LoadedModel words = engine_.load(scratch_ / "words.safetensors");
  EXPECT_THAT(failure_of([&] {
                (void)model_->translate(request, {.ensemble = {other, words}});
              }),
              HasSubstr("the model and number 3 of the ensemble have different source"));
}

TEST_F(Loaded, ALanguageModelHelps) {
  TrainedModel language = test::small_language_model("fixed");
  language.fields.target = trained_.fields.target;
  save_model(scratch_ / "language.safetensors", language);
  const Companions with{.language_model = engine_.load(scratch_ / "language.safetensors")};
  const Request request{
      .sources = {"abc"},
      .options = {.settings = {{"max_length", 5}, {"lm_weight", 0.7}, {"length_norm", "none"}}}};
  AnswerOptions options;
  options.search.max_length = 5;
  options.search.lm_weight = 0.7;
  options.search.length_norm = "none";
  options.search.language_model = language.model.get();
  const std::vector<std::string> texts = {"abc"};
  const Reply expected = answer(trained_, texts, options)[0].front();
  const Output said = model_->translate(request, with).front().best();
  EXPECT_EQ(said.text, expected.text);
  EXPECT_EQ(said.score, expected.score);
  EXPECT_NE(said.score, model_->translate(request).front().best().score);
  EXPECT_THAT(failure_of([&] { (void)model_->translate(request, {.language_model = model_}); }),
              HasSubstr("2 request: the language model reads a source"));
}

TEST_F(Loaded, WarningsComeWithTheAnswer) {
  const auto answers = model_->translate(
      {.sources = {"ab", "abcdef"}, .options = {.settings = {{"max_source", 3}}}});
  EXPECT_THAT(answers[0].warnings, IsEmpty());
  ASSERT_THAT(answers[1].warnings, SizeIs(1));
  EXPECT_THAT(answers[1].warnings[0],
              HasSubstr("line 2: a sentence has more than 3 tokens; it is translated in"));
}

/// A request that nobody wants to wait for.
Request endless() {
  return {.sources = std::vector<std::string>(64, "abcabcabc"),
          .options = {.beam = 8,
                      .settings = {{"min_length", int64_t{100'000}}, {"max_length_factor", 1e5}}}};
}

TEST_F(Loaded, ARequestCanBeStoppedBeforeAndWhileItIsAnswered) {
  std::stop_source source;
  Request request = endless();
  request.stop = source.get_token();
  const RequestWatcher impatient{.on_step = [&](const AnswerStep&) { source.request_stop(); }};
  EXPECT_EQ(failure_of([&] { model_->submit(request, impatient).wait(); }),
            "130 search: it was cancelled before its end");
  EXPECT_EQ(failure_of([&] { model_->translate(request); }),
            "130 request: it was cancelled before its end")
      << "it is stopped already";
  request.stop = {};
  request.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  EXPECT_THAT(failure_of([&] { model_->translate(request); }),
              HasSubstr(": it was cancelled before its end"));
  EXPECT_THAT(model_->translate({.sources = {"abc"}}), SizeIs(1)) << "others are not concerned";
}

TEST_F(Loaded, ManyThreadsAskAtOnce) {
  const Engine engine({.threads = 2});
  const LoadedModel model = engine.load(path_);
  const auto request = [](int64_t beam) {
    return Request{.sources = {"abc", "bad", "éa日", "a b"},
                   .options = {.beam = beam,
                               .n_best = beam,
                               .weights = beam % 2 == 0,
                               .settings = {{"max_length", 6}}}};
  };
  const auto said = [&](int64_t beam) {
    std::string all;
    for (const Answer& answer : model.translate(request(beam))) {
      for (const Output& output : answer.outputs) {
        all += output.text + " " + std::to_string(output.score) + "\n";
      }
    }
    return all;
  };
  std::vector<std::string> expected;
  for (int64_t beam = 1; beam <= 4; ++beam) {
    expected.push_back(said(beam));
  }
  std::vector<std::thread> askers;
  for (int t = 0; t < 8; ++t) {
    askers.emplace_back([&, t] {
      for (int i = 0; i < 6; ++i) {
        const int beam = 1 + (t + i) % 4;
        EXPECT_EQ(said(beam), expected[static_cast<size_t>(beam - 1)]);
      }
      model.align("abc", "cba");
      if (t == 0) {
        engine.trim();
      }
    });
  }
  for (std::thread& asker : askers) {
    asker.join();
  }
}

TEST_F(Loaded, AlignsScoresAndTellsOfItself) {
  const Output aligned = model_->align("abc", "cba");
  EXPECT_EQ(aligned.text, "cba");
  EXPECT_EQ(aligned.weights.size(), aligned.target.size());
  EXPECT_NEAR(model_->log_probability("abc", "cba"), aligned.log_probability, 1e-4);
  EXPECT_GT(model_->parameters(), 100);
  const Engine shelf({.backend = "reference", .model_folders = {scratch_.path()}});
  EXPECT_EQ(shelf.load("letters").parameters(), model_->parameters());
  EXPECT_THAT(failure_of([&] { shelf.load("absent"); }),
              HasSubstr("3 load: there is neither a file nor a model called \"absent\""));
  EXPECT_THAT(failure_of([&] { shelf.load(""); }),
              HasSubstr("2 load: there is no model to load; give the path of a file or a name"));
  EXPECT_THAT(failure_of([] { Engine({.backend = "gpu"}); }),
              HasSubstr("2 backend: unknown \"gpu\"; choose one of cpu, reference"));
}

TEST_F(Loaded, EachEngineHasMemoryOfItsOwnWithALimit) {
  const Engine narrow({.backend = "reference", .memory_limit = 4000});
  EXPECT_THAT(failure_of([&] { narrow.load(path_); }),
              AllOf(HasSubstr("1 memory: "), HasSubstr("beyond the limit")));
  EXPECT_EQ(narrow.memory().in_use, 0U);
  EXPECT_EQ(narrow.memory().limit, 4000U);
  const Engine vast({.backend = "reference", .memory_limit = ~uint64_t{0}});
  EXPECT_EQ(vast.load(path_).parameters(), model_->parameters());
  EXPECT_EQ(vast.memory().limit, ~uint64_t{0} >> 1);
  model_->translate({.sources = {"abc"}});
  const MemoryUse before = engine_.memory();
  EXPECT_GT(before.in_use, 4000U);
  EXPECT_GT(before.kept, 0U);
  EXPECT_GE(before.peak, before.in_use);
  engine_.trim();
  EXPECT_EQ(engine_.memory().kept, 0U);
  EXPECT_EQ(engine_.memory().in_use, before.in_use);
  model_.reset();
  EXPECT_EQ(engine_.memory().in_use, 0U);
}

TEST_F(Loaded, AModelOutlivesTheHandleOfItsEngine) {
  std::optional<Engine> engine(Engine({.backend = "reference"}));
  const LoadedModel model = engine->load(path_);
  engine.reset();
  EXPECT_EQ(model.translate({.sources = {"abc"}}).front().best().text,
            model_->translate({.sources = {"abc"}}).front().best().text);
}

}  // namespace
}  // namespace heed::engine_test
