// Many threads ask one model at once, each in its own way, and some leave: every answer is, byte for
// byte, the one that its request gets alone.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "heed/api/engine.h"
#include "heed/base/error.h"
#include "heed/model/file/model_file.h"
#include "tests/api/written.h"
#include "tests/base/scratch_directory.h"
#include "tests/engine/small_trained_model.h"

namespace heed::shared_search_test {
namespace {

using test::written;

std::vector<std::string> drawn_sources(std::mt19937& draw) {
  std::vector<std::string> sources(1 + draw() % 5);
  for (std::string& source : sources) {
    const size_t length = draw() % 4 == 0 ? 16 + draw() % 14 : draw() % 10;
    for (size_t i = 0; i < length; ++i) {
      source += "abcd"[draw() % 4];
    }
    source += draw() % 3 == 0 ? ". ab." : "";
  }
  return sources;
}

std::vector<Request> mixed_requests() {
  std::vector<Request> all;
  std::mt19937 draw(11);
  const char* const strategies[] = {"beam", "beam", "sample", "diverse", "constrained"};
  for (int i = 0; i < 20; ++i) {
    Request& one = all.emplace_back();
    one.sources = drawn_sources(draw);
    RequestOptions& options = one.options;
    const std::string strategy = strategies[i % 5];
    options.beam = strategy == "beam" ? 1 + static_cast<int64_t>(draw() % 6)
                                      : 2 * (1 + static_cast<int64_t>(draw() % 4));
    options.n_best = 1 + static_cast<int64_t>(draw() % 2);
    options.weights = draw() % 2 == 0;
    options.splits = draw() % 4 == 0;
    options.prefix = draw() % 5 == 0 ? "da" : "";
    options.settings = {{"max_length_factor", 0.4},
                        {"seed", static_cast<int64_t>(draw() % 3)},
                        {"strategy", strategy},
                        {"coverage", draw() % 4 == 0 && strategy == "beam" ? 0.3 : 0.0}};
    if (strategy == "beam") {
      options.settings["length_norm"] = draw() % 2 == 0 ? "wu" : "none";
      options.settings["no_repeat_ngram"] = static_cast<int64_t>(draw() % 3);
    } else if (strategy == "diverse") {
      options.settings["diverse"] = int64_t{2};
    } else if (strategy == "constrained") {
      options.phrases = {"dab"};
    }
  }
  return all;
}

class SharedSearches : public ::testing::TestWithParam<std::tuple<int, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Threads, SharedSearches,
                         ::testing::Values(std::tuple(1, "f32"), std::tuple(8, "f32"),
                                           std::tuple(64, "f32"), std::tuple(8, "bf16"),
                                           std::tuple(8, "int8")),
                         [](const auto& info) {
                           return std::get<1>(info.param) + "_" +
                                  std::to_string(std::get<0>(info.param));
                         });

TEST_P(SharedSearches, AnswerAsIfEachWereAlone) {
  const auto& [threads, precision] = GetParam();
  const ScratchDirectory scratch;
  save_model(scratch / "letters.safetensors", test::small_trained_model(R"({"embedding": 24,
    "encoder": {"kind": "transformer", "width": 24, "depth": 2},
    "decoder": {"kind": "transformer", "width": 24, "depth": 2, "tied": false}})"));
  const Engine engine({.threads = 2});
  const LoadedModel model = engine.load(scratch / "letters.safetensors", {.precision = precision});
  const std::vector<Request> requests = mixed_requests();
  std::vector<std::string> expected;
  for (const Request& request : requests) {
    expected.push_back(written(model.translate(request)));
  }
  ASSERT_EQ(engine.search_use().joins, 0U);
  std::atomic<int> cancelled = 0;
  std::atomic<int64_t> heard = 0;
  const auto ask = [&](unsigned seed, int count) {
    std::mt19937 draw(seed);
    for (int n = 0; n < count; ++n) {
      const size_t i = draw() % requests.size();
      Request request = requests[i];
      const auto how = draw() % 6;
      if (how == 0) {
        request.deadline =
            std::chrono::steady_clock::now() + std::chrono::microseconds(draw() % 9000);
      }
      RequestWatcher watcher;
      if (how == 1) {
        watcher.rivals = 3;
        watcher.source = {{0, 1}};
        watcher.on_step = [&heard](const AnswerStep&) { ++heard; };
      }
      try {
        if (how == 2) {
          EXPECT_EQ(written(model.translate(request)), expected[i]) << i;
          continue;
        }
        Ticket ticket = model.submit(request, watcher);
        if (how == 3) {
          ticket.wait_for(std::chrono::microseconds(draw() % 5000));
          continue;  // it is dropped
        }
        if (how == 4) {
          ticket.cancel();
        }
        EXPECT_EQ(written(ticket.wait()), expected[i]) << i;
      } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::cancelled) << error.what();
        ++cancelled;
      }
    }
  };
  std::vector<std::thread> askers;
  for (int t = 0; t < threads; ++t) {
    askers.emplace_back(ask, 100 + t, threads == 64 ? 2 : threads == 8 ? 8 : 20);
  }
  for (std::thread& asker : askers) {
    asker.join();
  }
  EXPECT_GT(cancelled, 0);
  EXPECT_GT(heard, 0);
  EXPECT_TRUE(threads == 1 || engine.search_use().joins > 0);
}

}  // namespace
}  // namespace heed::shared_search_test
