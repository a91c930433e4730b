#include "heed/engine/spoken_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/small_trained_model.h"

namespace heed::test::spoken_words_test {
namespace {

/// "ab a|b": two parts of three and one tokens over slots of half a second.
Translation heard() {
  Translation out;
  out.target = {"a", "b", " ", "a", "b", "</s>"};
  out.ended = true;
  out.parts = {0, 4};
  out.seconds = {0, 0.5, 1, 1.5, 2, 2.5};
  out.weights = {{0.2F, 0.6F, 0.2F, 0, 0}, {0, 0.5F, 0.5F, 0, 0}, {0, 0, 0, 1, 0},
                 {0, 0, 0.1F, 0.9F, 0},    {0, 0, 0, 0, 1},       {0, 0, 0, 0, 1}};
  return out;
}

std::string line_of(const std::vector<SpokenWord>& words) {
  std::string line;
  for (const SpokenWord& word : words) {
    line += fmt::format("[{} {:g}-{:g}]", word.text, word.start, word.end);
  }
  return line;
}

TEST(SpokenWords, LastAsLongAsTheirWeightsAreHeavy) {
  const TrainedModel trained = small_trained_model();
  EXPECT_TRUE(has_times(heard()));
  EXPECT_EQ(line_of(spoken(heard(), trained, SpokenUnit::tokens)),
            "[a 0.5-1][b 0.5-1.5][  1.5-2][a 1.5-2][b 2-2.5]");
  // Blanks separate words, and so do the parts of a recording.
  EXPECT_EQ(line_of(spoken(heard(), trained, SpokenUnit::words)), "[ab 0.5-1.5][a 1.5-2][b 2-2.5]");
}

TEST(SpokenWords, WithoutWeightsBeginWhereTheLastOneEnds) {
  const TrainedModel trained = small_trained_model("{}", "words");
  Translation words = heard();
  words.target = {"abc", "bad", "</s>"};
  words.parts.clear();
  words.weights = {{0, 1, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}};
  EXPECT_EQ(line_of(spoken(words, trained, SpokenUnit::words)), "[abc 0.5-1][bad 1-1]");
  words.weights.clear();
  EXPECT_FALSE(has_times(words));
  EXPECT_EQ(line_of(spoken(words, trained, SpokenUnit::words)), "[abc 0-0][bad 0-0]");
}

}  // namespace
}  // namespace heed::test::spoken_words_test
