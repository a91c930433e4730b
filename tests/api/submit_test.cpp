// Requests that are handed over, waited for, watched and dropped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <utility>

#include "heed/api/engine.h"
#include "heed/base/atomic_file.h"
#include "heed/base/file.h"
#include "heed/engine/answer/answer.h"
#include "heed/nn/precision.h"
#include "tests/api/failure_of.h"
#include "tests/api/model_of_files.h"
#include "tests/api/written.h"
#include "tests/base/scratch_directory.h"
#include "tests/engine/matrix_of.h"
#include "tests/engine/small_trained_model.h"
#include "tests/media/made_pictures.h"

namespace heed::submit_test {
namespace {

using namespace std::chrono_literals;
using test::failure_of;
using test::written;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string small_model(const std::string& path) {
  save_model(path, test::small_trained_model(R"({"embedding": 24,
    "encoder": {"kind": "transformer", "width": 24, "depth": 2},
    "decoder": {"kind": "transformer", "width": 24, "depth": 2, "tied": false}})"));
  return path;
}

/// A request that nobody wants to wait for.
Request endless() {
  return {
      .sources = {"abcabcabc", "abc"},
      .options = {.beam = 4,
                  .settings = {{"min_length", int64_t{1'000'000}}, {"max_length_factor", 1e6}}}};
}

class Submitted : public ::testing::Test {
 protected:
  ScratchDirectory scratch_;
  std::string path_ = small_model(scratch_ / "letters.safetensors");
  Engine engine_{{.threads = 2}};
  LoadedModel model_ = engine_.load(path_);
};

TEST_F(Submitted, IsAnsweredInTheOrderOfItsSources) {
  const Request request{.sources = {"abc", "", "badcabadb", "d"}, .options = {.beam = 3}};
  Ticket ticket = model_.submit(request);
  const std::vector<Answer> answers = ticket.wait();
  EXPECT_TRUE(ticket.done());
  EXPECT_EQ(written(answers), written(model_.translate(request)));
  EXPECT_EQ(answers[1].best().text, "");
  EXPECT_THAT(answers[3].best().source, ElementsAre("d", "</s>"));
  EXPECT_EQ(failure_of([&] { ticket.wait(); }),
            "2 ticket: its answers were taken; wait for them once");
  EXPECT_EQ(failure_of([] { Ticket().wait(); }),
            "2 ticket: there is no request behind it; take one from `submit`");
  EXPECT_THAT(model_.submit({}).wait(), IsEmpty());
}

TEST_F(Submitted, WhatFailsComesOutOfWait) {
  std::atomic<int> done = 0;
  const RequestWatcher watcher{.on_done = [&done] { ++done; }};
  const auto failure = [&](Request request) {
    Ticket ticket = model_.submit(std::move(request), watcher);
    return failure_of([&] { ticket.wait(); });
  };
  EXPECT_THAT(failure({.sources = {"a"}, .options = {.beam = 0}}),
              HasSubstr("2 request.search.beam: must be a whole number"));
  EXPECT_THAT(failure({.sources = {"a", "\xff"}}), HasSubstr("3 source 2: byte 0xFF"));
  EXPECT_THAT(failure({.sources = {"a"}, .options = {.prefix = "z"}}),
              HasSubstr("2 prefix: the model does not know \"z\""));
  EXPECT_EQ(done, 3);
}

TEST_F(Submitted, CanBeStoppedInFourWays) {
  const std::string cancelled = "130 search: it was cancelled before its end";
  Ticket one = model_.submit(endless());
  EXPECT_FALSE(one.wait_for(20ms));
  EXPECT_FALSE(one.done());
  one.cancel();
  EXPECT_TRUE(one.wait_for(60s));
  EXPECT_EQ(failure_of([&] { one.wait(); }), cancelled);

  std::stop_source source;
  Request request = endless();
  request.stop = source.get_token();
  Ticket two = model_.submit(request);
  source.request_stop();
  EXPECT_EQ(failure_of([&] { two.wait(); }), cancelled);

  request = endless();
  request.deadline = std::chrono::steady_clock::now() + 100ms;
  Ticket three = model_.submit(request);
  EXPECT_THAT(failure_of([&] { three.wait(); }), HasSubstr("130 "));

  std::atomic<int64_t> heard = 0;
  Ticket four = model_.submit(endless(), {.on_step = [&heard](const AnswerStep&) { ++heard; }});
  while (heard < 3) {
    std::this_thread::yield();
  }
  four = Ticket();
  const int64_t then = heard;
  EXPECT_EQ(written(model_.translate({.sources = {"abc"}})),
            written(model_.submit({.sources = {"abc"}}).wait()));
  EXPECT_EQ(heard, then) << "it hears nothing after it was dropped";
}

/// The engine lives as long as a ticket does.
TEST_F(Submitted, OutlivesTheHandlesOfModelAndEngine) {
  const Request request{.sources = {"abcd"}, .options = {.beam = 2}};
  const std::string expected = written(model_.translate(request));
  std::optional<Engine> engine(Engine({.threads = 2}));
  std::optional<LoadedModel> model(engine->load(path_));
  Ticket waited = model->submit(request);
  Ticket dropped = model->submit(endless());
  engine.reset();
  model.reset();
  EXPECT_EQ(written(waited.wait()), expected);
  dropped = Ticket();
  waited = Ticket();  // the last handle
}

/// The last handle may be dropped by the watcher, on the thread that searches.
TEST_F(Submitted, MayBeDroppedByItsWatcher) {
  for (const bool at_end : {false, true}) {
    auto ticket = std::make_shared<std::optional<Ticket>>();
    std::promise<void> is_there;
    std::shared_future<void> there = is_there.get_future().share();
    std::promise<void> is_dropped;
    const auto drop = [&, there] {
      there.wait();
      if (*ticket) {
        ticket->reset();
        is_dropped.set_value();
      }
    };
    RequestWatcher watcher;
    if (at_end) {
      watcher.on_done = drop;
    } else {
      watcher.on_step = [drop](const AnswerStep&) { drop(); };
    }
    {
      const Engine engine({.threads = 2});
      *ticket = engine.load(path_).submit(at_end ? Request{.sources = {"ab"}} : endless(), watcher);
    }
    is_there.set_value();
    is_dropped.get_future().wait();
  }
}

TEST_F(Submitted, SharesStepsWithOthers) {
  const SearchUse before = engine_.search_use();
  Ticket first = model_.submit(endless());
  while (engine_.search_use().steps < before.steps + 3) {
    std::this_thread::yield();
  }
  const Request request{.sources = {"abc", "dab"}, .options = {.beam = 3, .weights = true}};
  Ticket second = model_.submit(request);
  const std::string said = written(second.wait());
  EXPECT_FALSE(first.done());
  EXPECT_EQ(engine_.search_use().joins, before.joins + 2) << "both of its sources";
  EXPECT_EQ(engine_.search_use().sources, before.sources + 4);
  first = Ticket();
  EXPECT_EQ(said, written(model_.translate(request)));
  EXPECT_EQ(engine_.search_use().joins, before.joins + 2) << "nobody else was there";
}

TEST_F(Submitted, IsHeardAsItsBeamGrows) {
  std::vector<AnswerStep> steps;
  int done = 0;
  const Request request{.sources = {"abcd", "dab"},
                        .options = {.beam = 3, .n_best = 3, .settings = {{"max_length", 6}}}};
  Ticket ticket = model_.submit(request, {.rivals = 4,
                                          .source = {{}, {0, 0}},
                                          .self = {{1, -1}},
                                          .on_step =
                                              [&](const AnswerStep& step) {
                                                EXPECT_EQ(done, 0);
                                                steps.push_back(step);
                                              },
                                          .on_done = [&] { ++done; }});
  const std::vector<Answer> answers = ticket.wait();
  EXPECT_EQ(done, 1);
  EXPECT_EQ(written(answers), written(model_.translate(request))) << "watching changes nothing";
  for (const size_t source : {0U, 1U}) {
    std::map<int32_t, std::vector<int32_t>> tokens = {{0, {}}};  // of each node
    std::map<std::string, double> finished;                      // text → score
    int64_t words = 0;
    for (const AnswerStep& step : steps) {
      if (step.source != source) {
        continue;
      }
      EXPECT_EQ(step.part, 0U);
      EXPECT_EQ(step.words, words++);
      for (const Continued& from : step.from) {
        EXPECT_TRUE(tokens.contains(from.node));
        EXPECT_THAT(from.rivals, SizeIs(4));
        EXPECT_GE(from.rivals[0].log_probability, from.rivals[3].log_probability);
        EXPECT_THAT(from.source, SizeIs(2));
        EXPECT_THAT(from.source[1], SizeIs(request.sources[source].size() + 1));
        EXPECT_THAT(from.self, ElementsAre(SizeIs(step.words + 1)));
      }
      for (const Continuation& one : step.continuations) {
        std::vector<int32_t> own = tokens.at(one.parent);
        own.push_back(one.token);
        if (one.node >= 0) {
          tokens[one.node] = own;
        }
        if (one.fate == Continuation::Fate::finished) {
          EXPECT_EQ(one.text, "</s>");
          finished[model_.text_of(tokens.at(one.parent))] = one.score;
        } else if (one.fate == Continuation::Fate::cut) {
          finished[model_.text_of(own)] = one.score;
        }
      }
    }
    for (const Output& output : answers[source].outputs) {
      ASSERT_TRUE(finished.contains(output.text)) << output.text;
      EXPECT_EQ(finished.at(output.text), output.score);
    }
  }
  EXPECT_EQ(failure_of([&] { model_.text_of({-1}); }).substr(0, 28),
            "2 text_of: there is no token");
}

TEST_F(Submitted, AWatcherThatThrowsEndsOnlyItsRequest) {
  Ticket others = model_.submit(endless());
  Ticket ticket = model_.submit({.sources = {"abc"}}, {.on_step = [](const AnswerStep&) {
                                  throw std::runtime_error("heard enough");
                                }});
  EXPECT_THROW(
      try { ticket.wait(); } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "heard enough");
        throw;
      },
      std::runtime_error);
  EXPECT_FALSE(others.done());
  Ticket late = model_.submit({.sources = {"abc"}},
                              {.on_done = [] { throw std::runtime_error("too late"); }});
  EXPECT_THROW(late.wait(), std::runtime_error);
  EXPECT_THAT(model_.translate({.sources = {"abc"}}), SizeIs(1));
}

TEST_F(Submitted, AWatcherMaySubmitButNotWait) {
  std::string refused;
  Ticket inner;
  Ticket outer = model_.submit({.sources = {"abc"}}, {.on_step = [&](const AnswerStep& step) {
                                 if (step.words == 0) {
                                   refused =
                                       failure_of([&] { model_.translate({.sources = {"ab"}}); });
                                   inner = model_.submit({.sources = {"ab"}});
                                   refused += failure_of([&] { inner.wait(); });
                                 }
                               }});
  EXPECT_THAT(outer.wait(), SizeIs(1));
  EXPECT_EQ(written(inner.wait()), written(model_.translate({.sources = {"ab"}})));
  const std::string why =
      "2 request: a watcher may not wait for an answer of its own engine; submit the request and "
      "go "
      "on";
  EXPECT_EQ(refused, why + why);
}

TEST_F(Submitted, HasItsAnswersWhenItsWatcherHearsThatItIsDone) {
  Ticket* at = nullptr;
  std::promise<void> known;
  std::promise<std::string> said;
  Ticket ticket = model_.submit({.sources = {"abc"}}, {.on_done = [&] {
                                  known.get_future().wait();
                                  EXPECT_TRUE(at->done());
                                  said.set_value(written(at->wait()));
                                }});
  at = &ticket;
  known.set_value();
  EXPECT_EQ(said.get_future().get(), written(model_.translate({.sources = {"abc"}})));
}

TEST_F(Submitted, MayBeAPicture) {
  save_model(scratch_ / "seeing.safetensors", test::seeing_model());
  const LoadedModel seeing = engine_.load(scratch_ / "seeing.safetensors");
  const std::string bytes = test::png_file(test::sloping(40, 30));
  const Request request{.sources = {bytes, bytes, bytes}, .options = {.weights = true}};
  const std::string expected = written(seeing.translate(request));
  EXPECT_EQ(written(seeing.submit(request).wait()), expected);
  Ticket damaged = seeing.submit({.sources = {bytes, "no picture"}});
  EXPECT_THAT(failure_of([&] { damaged.wait(); }), HasSubstr("3 "));
}

}  // namespace
}  // namespace heed::submit_test
