// Rounds of mask-predict help where a source has several right targets: in one round every word is
// chosen without knowing the others, so that halves of different targets are mixed (Ghazvininejad 2019).
#include <gtest/gtest.h>

#include "heed/search/search.h"
#include "tests/train/small_run.h"

namespace heed::test::mask_predict_slow_test {
namespace {

/// The letter c, said with its successor d as "c d c d" or as "d c d c", each as often.
std::vector<Example> either_way(int first, int count) {
  std::vector<Example> examples;
  for (int i = first; i < first + count; ++i) {
    const std::string c(1, static_cast<char>('a' + i / 2 % 9));
    const std::string d(1, static_cast<char>('b' + i / 2 % 9));
    const std::string ahead = fmt::format("{0} {1} {0} {1}", c, d);
    const std::string behind = fmt::format("{1} {0} {1} {0}", c, d);
    examples.push_back({c, i % 2 == 0 ? ahead : behind});
  }
  return examples;
}

TEST(MaskPredict, AsManyRoundsAsWordsAreAtLeastAsGoodAsOne) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"steps": 1500, "validate_every": 0, "batch_sentences": 18,
                   "objectives": ["teacher_forcing", {"kind": "lengths", "weight": 0.1}],
                   "optimiser": {"learning_rate": 0.004},
                   "schedule": {"kind": "cosine", "warm_up": 50}})",
               R"({"embedding": 16, "dropout": 0, "encoder": {"kind": "transformer", "width": 16},
                   "decoder": {"kind": "mask_predict", "width": 16, "dropout": 0}})");
  run.train = Corpus(either_way(0, 90), run.fields);
  run.valid = Corpus(either_way(0, 18), run.fields);
  run.run(scratch / "run");
  const auto right = [&](int64_t rounds) {
    SearchOptions options;
    options.parallel.rounds = rounds;
    options.parallel.length_beam = 1;
    int count = 0;
    const auto found = search(*run.trained.model, run.batch(18), options);
    for (size_t b = 0; b < found.size(); ++b) {
      const std::vector<int32_t>& ids = found[b].front().ids;
      const bool is_either =
          ids.size() == 4 && ids[0] != ids[1] && ids[0] == ids[2] && ids[1] == ids[3];
      count += is_either ? 1 : 0;
    }
    return count;
  };
  const int once = right(1);
  const int often = right(4);
  EXPECT_GE(often, once);
  EXPECT_GE(often, 16) << "of 18";
  EXPECT_LE(once, 9) << "one round should mix the two, or the test shows nothing";
}

}  // namespace
}  // namespace heed::test::mask_predict_slow_test
