// Requests that share searches: each finds, bit for bit, what it finds alone.
#include "heed/engine/answer/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "heed/backend/all/backends.h"
#include "heed/engine/answer/inquiry.h"
#include "heed/search/strategies.h"
#include "tests/engine/small_trained_model.h"

namespace heed::scheduler_test {
namespace {

using test::small_trained_model;
using ::testing::HasSubstr;

AnswerOptions of_beam(int64_t beam) {
  AnswerOptions options;
  options.search.beam = beam;
  options.search.weights = beam % 2 == 1;
  options.search.max_length_factor = 1;
  options.search.max_length_margin = 6;
  return options;
}

/// A request whose whole text is prepared.
class Request {
 public:
  Request(const TrainedModel& trained, const std::vector<std::string>& lines,
          const AnswerOptions& options)
      : inquiry_({&trained}, {lines.begin(), lines.end()}, options) {
    while (inquiry_.prepare()) {
    }
    inquiry_.job().ended = [this] { has_ended_ = true; };
  }

  void ask(Scheduler& scheduler) { scheduler.add(inquiry_.job()); }
  bool has_ended() const { return has_ended_; }
  RequestJob& job() { return inquiry_.job(); }
  std::vector<Replies> replies() {
    inquiry_.settle();
    return inquiry_.joined();
  }
  std::string failure() {
    try {
      job().check();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

 private:
  Inquiry inquiry_;
  bool has_ended_ = false;
};

void expect_same(const std::vector<Replies>& got, const std::vector<Replies>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].best.size(), expected[i].best.size());
    EXPECT_EQ(got[i].warnings, expected[i].warnings);
    for (size_t n = 0; n < got[i].best.size(); ++n) {
      const Reply& a = got[i].best[n];
      const Reply& b = expected[i].best[n];
      EXPECT_EQ(a.text, b.text);
      EXPECT_EQ(a.score, b.score);
      EXPECT_EQ(a.log_probability, b.log_probability);
      EXPECT_EQ(a.looked().weights.values, b.looked().weights.values);
    }
  }
}

int64_t finish(Scheduler& scheduler) {
  int64_t steps = 0;
  for (; !scheduler.is_idle(); ++steps) {
    scheduler.step();
  }
  return steps;
}

const std::vector<std::string> lines = {"abc", "", "badcab"};
const std::vector<std::string> others = {"dd", "cabba"};

TEST(Scheduler, LetsARequestJoinTheSearchOfAnother) {
  const TrainedModel trained = small_trained_model();
  int64_t alone = 0;
  for (const auto& some : {lines, others}) {
    Scheduler scheduler;
    Request one(trained, some, of_beam(3));
    one.ask(scheduler);
    alone += finish(scheduler);
  }
  Scheduler scheduler;
  Request first(trained, lines, of_beam(3));
  Request second(trained, others, of_beam(2));
  first.ask(scheduler);
  scheduler.step();
  scheduler.step();
  EXPECT_EQ(scheduler.counts().pieces, 2) << "the empty one is not searched";
  EXPECT_EQ(scheduler.counts().joins, 0);
  second.ask(scheduler);
  scheduler.step();
  EXPECT_EQ(scheduler.counts().joins, 2) << "at the next step";
  EXPECT_LT(3 + finish(scheduler), alone) << "steps were shared";
  EXPECT_TRUE(first.has_ended() && second.has_ended());
  expect_same(first.replies(), answer(trained, lines, of_beam(3)));
  expect_same(second.replies(), answer(trained, others, of_beam(2)));
}

/// Only the strategy and what decoders are asked decide who shares; the rest is a sentence's own.
TEST(Scheduler, AnswersMixedOptionsAsIfEachWereAlone) {
  const TrainedModel trained = small_trained_model();
  for (const auto& strategy : strategies()) {
    std::vector<AnswerOptions> mixed(4, of_beam(2));
    for (size_t i = 0; i < mixed.size(); ++i) {
      SearchOptions& search = mixed[i].search;
      search.strategy = strategy.name;
      search.beam = 2 + 2 * static_cast<int64_t>(i);
      search.n_best = 1 + static_cast<int64_t>(i % 2);
      search.weights = i % 2 == 0;
      search.seed = i;
      search.strategies.set("diverse", 2);
      search.coverage = i == 3 ? 0.3 : 0;
      search.strategies.set("temperature", 1 + 0.5 * static_cast<double>(i));
      mixed[i].first_line = 1 + 10 * static_cast<int64_t>(i);
      mixed[i].prefix = i == 1 ? "d" : "";
    }
    Scheduler scheduler;
    std::vector<std::unique_ptr<Request>> all;
    for (const AnswerOptions& options : mixed) {
      all.push_back(std::make_unique<Request>(trained, lines, options));
      all.back()->ask(scheduler);
      scheduler.step();
    }
    finish(scheduler);
    EXPECT_GE(scheduler.counts().joins, 6) << strategy.name;
    for (size_t i = 0; i < mixed.size(); ++i) {
      SCOPED_TRACE(std::string(strategy.name) + " " + std::to_string(i));
      expect_same(all[i]->replies(), answer(trained, lines, mixed[i]));
    }
  }
}

TEST(Scheduler, GivesSearchesOfOtherKindsTurns) {
  const TrainedModel trained = small_trained_model();
  const TrainedModel other = small_trained_model(R"({"decoder": {"kind": "labels"}})");
  AnswerOptions sampled = of_beam(2);
  sampled.search.strategy = "sample";
  Scheduler scheduler;
  Request beam(trained, lines, of_beam(3));
  Request sample(trained, lines, sampled);
  Request labels(other, lines, of_beam(1));
  beam.ask(scheduler);
  sample.ask(scheduler);
  labels.ask(scheduler);
  for (int step = 0; step < 9 && !labels.has_ended(); ++step) {
    scheduler.step();
  }
  EXPECT_TRUE(labels.has_ended()) << "two steps of its own, and two of each other";
  EXPECT_FALSE(beam.has_ended());
  finish(scheduler);
  EXPECT_EQ(scheduler.counts().joins, 0);
  expect_same(beam.replies(), answer(trained, lines, of_beam(3)));
  expect_same(sample.replies(), answer(trained, lines, sampled));
  expect_same(labels.replies(), answer(other, lines, of_beam(1)));
}

/// What cannot be joined is shared from its beginning, by those who ask alike.
TEST(Scheduler, SearchesEqualRequestsTogetherWhereNobodyCanJoin) {
  const TrainedModel trained = small_trained_model(R"({"decoder": {"kind": "labels"}})");
  Scheduler scheduler;
  Request first(trained, lines, of_beam(1));
  Request second(trained, others, of_beam(1));
  first.ask(scheduler);
  second.ask(scheduler);
  EXPECT_EQ(finish(scheduler), 2);
  expect_same(first.replies(), answer(trained, lines, of_beam(1)));
  expect_same(second.replies(), answer(trained, others, of_beam(1)));
}

/// A long request has its batch under way, no more; others come in between.
TEST(Scheduler, DoesNotLetALongRequestHoldUpAShortOne) {
  const TrainedModel trained = small_trained_model();
  AnswerOptions in_batches = of_beam(1);
  in_batches.batch = 2;
  const std::vector<std::string> many(40, "abcabcabc");
  Scheduler scheduler;
  Request lengthy(trained, many, in_batches);
  Request brief(trained, {"ab"}, of_beam(1));
  lengthy.ask(scheduler);
  scheduler.step();
  brief.ask(scheduler);
  int64_t steps = 0;
  for (; !brief.has_ended(); ++steps) {
    scheduler.step();
  }
  EXPECT_LE(steps, 12) << "one for each word, and its end";
  EXPECT_FALSE(lengthy.has_ended());
  finish(scheduler);
  expect_same(lengthy.replies(), answer(trained, many, in_batches));
}

TEST(Scheduler, LetsGoOfWhoLeavesBeforeTheNextStep) {
  const TrainedModel trained = small_trained_model();
  for (const std::string decoder : {"attend_first", "labels"}) {
    const TrainedModel model = small_trained_model(R"({"decoder": {"kind": ")" + decoder + "\"}}");
    for (const int before : {0, 1}) {  // it waits, or is under way
      bool leaves = false;
      AnswerOptions leaving = of_beam(1);
      leaving.is_cancelled = [&leaves] { return leaves; };
      Scheduler scheduler;
      Request first(model, lines, of_beam(1));
      Request second(model, others, leaving);
      first.ask(scheduler);
      second.ask(scheduler);
      for (int step = 0; step < before; ++step) {
        scheduler.step();
      }
      leaves = true;
      EXPECT_FALSE(second.has_ended());
      scheduler.step();
      EXPECT_TRUE(second.has_ended());
      EXPECT_EQ(second.failure(), "search: it was cancelled before its end");
      finish(scheduler);
      expect_same(first.replies(), answer(model, lines, of_beam(1)));
    }
  }
}

TEST(Scheduler, FailsAWrongRequestAndNoOther) {
  const TrainedModel trained = small_trained_model();
  AnswerOptions wrong = of_beam(2);
  wrong.search.n_best = 3;  // of a beam of two
  Scheduler scheduler;
  Request first(trained, lines, of_beam(3));
  Request bad(trained, others, wrong);
  Request second(trained, others, of_beam(2));
  first.ask(scheduler);
  bad.ask(scheduler);
  second.ask(scheduler);
  finish(scheduler);
  EXPECT_THAT(bad.failure(), HasSubstr("3 best"));
  expect_same(first.replies(), answer(trained, lines, of_beam(3)));
  expect_same(second.replies(), answer(trained, others, of_beam(2)));
}

/// The same models, on a backend that has so much memory for all of it.
class Bounded {
 public:
  explicit Bounded(int64_t limit) : backend_(make_backend("cpu")) {
    trained_.fields =
        learn_fields(test::letters(), {.source = "characters", .target = "characters"});
    trained_.model = std::make_unique<Model>();
    apply(*trained_.model, parse_json(R"({"embedding": 16, "encoder": {"kind": "gru", "width": 16},
        "decoder": {"kind": "transformer", "width": 16, "depth": 3}})",
                                      "test"));
    Init init({backend_.get(), DType::f32}, 3);
    trained_.model->build(trained_.fields, init);
    backend_->trim();
    backend_->allocator().set_limit(limit);
  }
  ~Bounded() { trained_.model.reset(); }

  const TrainedModel& trained() const { return trained_; }
  int64_t peak() const { return backend_->allocator().statistics().peak_bytes; }
  int64_t in_use() const { return backend_->allocator().statistics().live_bytes; }

 private:
  std::unique_ptr<Backend> backend_;
  TrainedModel trained_;
};

AnswerOptions lengthy() {
  AnswerOptions options = of_beam(8);
  options.search.max_length_margin = 150;
  apply(options.search, parse_json(R"({"min_length": 140})", "test"));
  return options;
}

/// Requests of this number come one after the other. Returns the most memory that they needed.
int64_t peak_of(Bounded& bounded, int count, std::vector<std::string>& texts) {
  Scheduler scheduler;
  std::vector<std::unique_ptr<Request>> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(std::make_unique<Request>(bounded.trained(), others, lengthy()));
    all.back()->ask(scheduler);
    scheduler.step();
  }
  finish(scheduler);
  for (auto& one : all) {
    EXPECT_EQ(one->failure(), "");
    texts.push_back(one->failure().empty() ? one->replies().front().front().text : "");
  }
  return bounded.peak();
}

TEST(Scheduler, LetsRequestsWaitUntilThereIsMemoryForThem) {
  Bounded free(0);
  std::vector<std::string> texts;
  const int64_t one = peak_of(free, 1, texts);
  const int64_t six = peak_of(free, 6, texts);
  ASSERT_GT(six, 2 * one);
  Bounded tight(one + (six - one) / 4);
  std::vector<std::string> again;
  peak_of(tight, 6, again);
  EXPECT_EQ(again, std::vector<std::string>(6, texts.front()));
  const int64_t before = tight.in_use();
  Bounded narrow(one - (one - before) / 3);
  {
    Scheduler scheduler;
    Request large(narrow.trained(), others, lengthy());
    Request small(narrow.trained(), others, of_beam(1));
    large.ask(scheduler);
    small.ask(scheduler);
    finish(scheduler);
    EXPECT_THAT(large.failure(), HasSubstr("beyond the limit")) << "nor does it fit by itself";
    expect_same(small.replies(), answer(narrow.trained(), others, of_beam(1)));
  }
  EXPECT_EQ(narrow.in_use(), before) << "nothing is left of them";
}

}  // namespace
}  // namespace heed::scheduler_test
