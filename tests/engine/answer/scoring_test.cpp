#include "heed/engine/answer/scoring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "heed/attention/slot_draws.h"
#include "heed/base/atomic_file.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/shelf/machine.h"
#include "heed/engine/shelf/model_shelf.h"
#include "heed/engine/shelf/self_test.h"
#include "tests/base/scratch_directory.h"
#include "tests/engine/small_trained_model.h"

namespace heed::scoring_test {
namespace {

TEST(Scoring, IsWhatForcedDecodingSays) {
  const TrainedModel trained = test::small_trained_model();
  const std::vector<Example> pairs = {{"abc", "cba"}, {"d", "dab"}, {"éa日", "a"}, {"b", ""}};
  for (const int64_t batch : {1, 2, 64}) {
    const auto scores = score_pairs(trained, pairs, batch);
    ASSERT_EQ(scores.size(), pairs.size());
    for (size_t i = 0; i < 3; ++i) {
      const Reply forced = align(trained, pairs[i].source, pairs[i].target, {});
      EXPECT_NEAR(scores[i].log_probability, forced.log_probability, 1e-4);
      EXPECT_EQ(scores[i].target, forced.looked().rows);
      EXPECT_NEAR(scores[i].perplexity(), std::exp(-forced.score), 1e-3);
    }
    EXPECT_EQ(scores[3].tokens, 1);
    EXPECT_LT(scores[3].log_probability, 0);
  }
  PairScore total;
  EXPECT_EQ(total.perplexity(), 1);
  for (const PairScore& score : score_pairs(trained, pairs)) {
    total.add(score);
  }
  EXPECT_EQ(total.tokens, 4 + 4 + 2 + 1);
  EXPECT_THROW(score_pairs(trained, std::vector<Example>{{"", "a"}}), Error);
}

/// What a pair is scored with depends on its line and the seed, not on its batch, and is what a search
/// of the line draws.
TEST(Scoring, SlotsAreDrawnByTheLine) {
  const std::string hard = R"("attention": {"normaliser": {"kind": "hard", "decode": "sample"}})";
  const std::string crossing = R"("cross": {"normaliser": {"kind": "hard", "decode": "sample"}})";
  for (const std::string& model :
       {R"({"decoder": {)" + hard + "}}",
        R"({"decoder": {"kind": "attend_after", "width": 7, "embedding": 6, )" + hard + "}}",
        R"({"decoder": {"kind": "transformer", "width": 8, "depth": 2, )" + crossing + "}}"}) {
    SCOPED_TRACE(model);
    const TrainedModel trained = test::small_trained_model(model);
    ASSERT_TRUE(draws_slots(*trained.model));
    const std::vector<std::string> lines = {"abc", "dab", "abcdab", "bad"};
    AnswerOptions how;
    how.search.max_length = 8;
    how.search.seed = 5;
    std::vector<Example> pairs;
    std::vector<Reply> searched;
    for (const Replies& found : answer(trained, lines, how)) {
      pairs.push_back({lines[pairs.size()], found.front().text});
      searched.push_back(found.front());
    }
    const auto scores = score_pairs(trained, pairs, 64, 5);
    const auto alone = score_pairs(trained, pairs, 1, 5);
    const auto others = score_pairs(trained, pairs, 64, 6);
    double change = 0;
    for (size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_NEAR(scores[i].log_probability, alone[i].log_probability, 1e-4) << i;
      ASSERT_EQ(scores[i].target.size(), searched[i].ids.size() + (searched[i].ended ? 0 : 1));
      const double end = searched[i].ended ? 0 : scores[i].token_log_probability.back();
      EXPECT_NEAR(scores[i].log_probability - end, searched[i].log_probability, 1e-4) << i;
      change += std::abs(scores[i].log_probability - others[i].log_probability);
    }
    EXPECT_GT(change, 1e-3);
  }
  EXPECT_FALSE(draws_slots(*test::small_trained_model().model));
}

TEST(SelfTest, HoldsHere) {
  const auto checks = self_test({"cpu", "reference"});
  EXPECT_GE(checks.size(), 3U);
  for (const Check& check : checks) {
    EXPECT_TRUE(check.holds) << check.what << ": " << check.seen;
  }
}

TEST(Machine, IsSeen) {
  const Machine machine = this_machine();
  EXPECT_GE(machine.cores, 1);
  EXPECT_GT(machine.memory_bytes, uint64_t{1} << 20);
  EXPECT_THAT(machine_backends().there, ::testing::Contains("cpu"));
  EXPECT_FALSE(machine.vectors.empty());
}

TEST(Shelf, HoldsWhatItsFoldersHold) {
  const ScratchDirectory scratch;
  TrainedModel trained = test::small_trained_model();
  trained.about["languages"] = "aa-bb";
  save_model(scratch / "one.safetensors", trained);
  write_atomically(scratch / "bad.safetensors", "no model");
  write_atomically(scratch / "other.txt", "no model");
  const ModelShelf shelf({scratch / "absent", scratch.path()});
  const auto models = shelf.models();
  const auto named = [&](const std::string& name) {
    return std::find_if(models.begin(), models.end(),
                        [&](const ShelvedModel& model) { return model.name == name; });
  };
  ASSERT_NE(named("one"), models.end());
  EXPECT_EQ(named("one")->about.at("languages"), "aa-bb");
  EXPECT_GT(named("one")->bytes, 100U);
  ASSERT_NE(named("bad"), models.end());
  EXPECT_FALSE(named("bad")->fault.empty());
  EXPECT_EQ(named("other"), models.end());
  EXPECT_EQ(shelf.path_of("one", "test"), scratch / "one.safetensors");
  EXPECT_EQ(shelf.path_of("some/file", "test"), "some/file");
  EXPECT_EQ(shelf.path_of("nobody.safetensors", "test"), "nobody.safetensors");
  try {
    shelf.path_of("on", "test");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "test: there is neither a file nor a model called \"on\"; did you mean \"one\"?");
  }
  EXPECT_THROW(ModelShelf().path_of("", "test"), Error);
}

}  // namespace
}  // namespace heed::scoring_test
