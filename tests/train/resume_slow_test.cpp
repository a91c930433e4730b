// A run gives the same weights, bit for bit, for any number of threads, and however often it was
// killed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "heed/base/file.h"
#include "heed/base/philox.h"
#include "heed/base/sha256.h"
#include "heed/base/thread_pool.h"
#include "tests/base/killed_save.h"
#include "tests/base/scratch_directory.h"
#include "tests/train/small_run.h"

namespace heed::resume_slow_test {
namespace {

using test::SmallRun;
using Clock = std::chrono::steady_clock;

/// The place that the product uses, if the build has it.
Place usual_place() {
  for (const Place& place : test::places()) {
    if (place.backend->name() == "cpu" && place.dtype == DType::f32) {
      return place;
    }
  }
  return {&test::forced("reference"), DType::f32};
}

class Threads : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Optimisers, Threads, ::testing::Values("adam", "adafactor"),
                         [](const auto& kind) { return kind.param; });

TEST_P(Threads, DoNotShowInTheWeights) {
  const ScratchDirectory scratch;
  const int before = threads();
  std::vector<float> expected;
  for (const int count : {1, 2, 3, 8}) {
    set_threads(count);
    SmallRun run(fmt::format(R"({{"steps": 60, "batch_sentences": 16, "average": "ema",
                                  "optimiser": "{}"}})",
                             GetParam()),
                 R"({"embedding": 48, "encoder": {"kind": "gru", "width": 40},
                     "decoder": {"width": 48, "embedding": 32}})",
                 usual_place());
    run.run(scratch / std::to_string(count));
    if (expected.empty()) {
      expected = run.weights();
    }
    EXPECT_EQ(run.weights(), expected) << count << " threads";
  }
  set_threads(before);
}

/// Two ways to train: the usual one, and one with every kind of state that a run can have. They
/// save often, so that many kills happen during a save.
struct Way {
  std::string name;
  std::string settings;
};
const std::vector<Way> ways = {
    {"plain", R"({"steps": 40, "save_every": 2, "validate_every": 5})"},
    {"everything", R"({"steps": 40, "save_every": 2, "validate_every": 5, "accumulate": 2,
        "batch_sentences": 4, "optimiser": {"kind": "adafactor"}, "average": {"kind": "ema"},
        "schedule": {"kind": "plateau", "patience": 1}, "min_gain": 0.1, "samples": 2})"}};

/// The run that children take part in, disabled because only start_child starts it.
TEST(Child, DISABLED_Trains) {
  const char* folder = std::getenv("HEED_TEST_RUN");
  const char* settings = std::getenv("HEED_TEST_SETTINGS");
  ASSERT_NE(folder, nullptr);
  ASSERT_NE(settings, nullptr);
  if (const char* crash = std::getenv("HEED_TEST_CRASH");
      crash != nullptr) {  // "2 5": the fifth rename
    const std::string words(crash);
    test::kill_at(static_cast<SavePoint>(words[0] - '0'), std::stoi(words.substr(2)));
  }
  set_threads(2);
  SmallRun run(settings, "{}", usual_place());
  run.options.show = [](std::span<const std::string> sources) {
    return std::vector<Sample>(sources.size(), {"said", "<svg/>", ""});
  };
  run.run(folder);
}

/// Starts this binary as a child that trains in `folder`.
pid_t start_child(const Way& way, const std::string& folder, const std::string& crash_at) {
  std::vector<std::string> words;
  for (char** word = environ; *word != nullptr; ++word) {
    const std::string_view text(*word);
    if (!text.starts_with("HEED_") && !text.starts_with("GTEST_")) {
      words.emplace_back(text);
    }
  }
  words.push_back("HEED_TEST_RUN=" + folder);
  words.push_back("HEED_TEST_SETTINGS=" + way.settings);
  if (!crash_at.empty()) {
    words.push_back("HEED_TEST_CRASH=" + crash_at);
  }
  std::vector<char*> environment;
  for (std::string& word : words) {
    environment.push_back(word.data());
  }
  environment.push_back(nullptr);
  std::string path = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string filter = "--gtest_filter=Child.DISABLED_Trains";
  std::string disabled = "--gtest_also_run_disabled_tests";
  char* arguments[] = {path.data(), filter.data(), disabled.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int fault =
      posix_spawn(&child, path.c_str(), &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(fault, 0);
  return child;
}

/// Whether it was killed; any other end but success is a failure.
bool was_killed(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    return true;
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  return false;
}

class Killed : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    const auto start = Clock::now();
    ASSERT_FALSE(was_killed(start_child(GetParam(), scratch_ / "whole", "")));
    whole_ = Clock::now() - start;
  }

  void expect_same_end(const std::string& folder) {
    for (const char* name : {"/model.safetensors", "/checkpoints/step-00000040.safetensors"}) {
      EXPECT_EQ(sha256_hex(read_file(folder + name)),
                sha256_hex(read_file(scratch_.path() + "/whole" + name)))
          << name;
    }
  }

  ScratchDirectory scratch_;
  Clock::duration whole_{};
};
INSTANTIATE_TEST_SUITE_P(Ways, Killed, ::testing::ValuesIn(ways),
                         [](const auto& way) { return way.param.name; });

TEST_P(Killed, AtFiftyMomentsTheRunEndsTheSame) {
  const Draws draws(RandomKey{2024, 0, stream_named(GetParam().name)});
  int kills = 0;
  int ends = 0;
  for (std::uint64_t turn = 0; kills < 50 && !HasFailure(); ++turn) {
    const std::string folder = scratch_ / ("run-" + std::to_string(ends));
    const pid_t child = start_child(GetParam(), folder, "");
    std::this_thread::sleep_for(whole_ * draws.uniform_double(turn));
    kill(child, SIGKILL);
    if (was_killed(child)) {
      ++kills;
    } else {
      expect_same_end(folder);
      ++ends;
    }
  }
  const std::string folder = scratch_ / ("run-" + std::to_string(ends));
  EXPECT_FALSE(was_killed(start_child(GetParam(), folder, "")));
  expect_same_end(folder);
}

TEST_P(Killed, InsideThirtySavesTheRunEndsTheSame) {
  const Draws draws(RandomKey{2025, 0, stream_named(GetParam().name)});
  const std::string folder = scratch_ / "run";
  int kills = 0;
  for (std::uint64_t turn = 0; kills < 30 && !HasFailure(); ++turn) {
    // Early points, so that most turns are killed before the run ends.
    const std::string at = fmt::format("{} {}", turn % 3, 1 + draws.below(turn, 6));
    if (was_killed(start_child(GetParam(), folder, at))) {
      ++kills;
    } else {
      expect_same_end(folder);
      std::filesystem::remove_all(folder);
    }
  }
  EXPECT_FALSE(was_killed(start_child(GetParam(), folder, "")));
  expect_same_end(folder);
}

}  // namespace
}  // namespace heed::resume_slow_test
