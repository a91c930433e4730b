#include "heed/engine/answer/word_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/matrix_of.h"
#include "tests/engine/small_trained_model.h"

namespace heed::test::word_times_test {
namespace {

/// "ab a|b": two parts of three and one tokens over slots of half a second.
Seen heard() {
  Seen out;
  out.rows = {"a", "b", " ", "a", "b", "</s>"};
  out.rows_end = true;
  out.parts = {0, 4};
  out.seconds = {0, 0.5, 1, 1.5, 2, 2.5};
  out.weights = matrix_of({{0.2F, 0.6F, 0.2F, 0, 0},
                           {0, 0.5F, 0.5F, 0, 0},
                           {0, 0, 0, 1, 0},
                           {0, 0, 0.1F, 0.9F, 0},
                           {0, 0, 0, 0, 1},
                           {0, 0, 0, 0, 1}});
  out.times = heard_times(out.weights, out.seconds);
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
  Seen words = heard();
  words.rows = {"abc", "bad", "</s>"};
  words.parts.clear();
  words.weights = matrix_of({{0, 1, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}});
  words.times = heard_times(words.weights, words.seconds);
  EXPECT_EQ(line_of(spoken(words, trained, SpokenUnit::tokens)), "[abc 0.5-1][bad 1-1]");
  words.times.clear();
  EXPECT_FALSE(has_times(words));
  EXPECT_EQ(line_of(spoken(words, trained, SpokenUnit::words)), "[abc 0-0][bad 0-0]");
}

TEST(SpokenWords, OfOneTokenLastToTheNextButHalfASecondAtMost) {
  const TrainedModel trained = small_trained_model("{}", "words");
  Seen words;
  words.rows = {"abc", "bad", "cab"};
  words.seconds = {0, 0.1, 0.2, 0.3, 0.4, 1.9, 2, 2.1};
  words.weights = matrix_of({{1, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 0}});
  words.times = heard_times(words.weights, words.seconds);
  EXPECT_EQ(line_of(spoken(words, trained, SpokenUnit::words)),
            "[abc 0-0.3][bad 0.3-0.8][cab 1.9-2.1]");
  EXPECT_EQ(line_of(spoken(words, trained, SpokenUnit::tokens)),
            "[abc 0-0.1][bad 0.3-0.4][cab 1.9-2]");
}

/// Where the sound says how long a word lasts, a word of one token needs no guess.
TEST(SpokenWords, OfOneTokenEndWithTheirSound) {
  const TrainedModel trained = small_trained_model("{}", "words");
  Seen words;
  words.rows = {"abc", "bad"};
  words.seconds = {0, 0.1, 0.2, 0.3, 1.2, 1.3};
  words.weights = matrix_of({{0, 1, 0, 0, 0}, {0, 0, 0, 1, 0}});
  words.times = heard_times(words.weights, words.seconds);
  SoundLevels levels;
  levels.power.assign(130, 1e-6F);
  std::fill(levels.power.begin() + 5, levels.power.begin() + 20, 1.0F);
  end_with_sound(words, trained, levels);
  EXPECT_NEAR(spoken(words, trained, SpokenUnit::words)[0].end, 0.22, 1e-9);
}

TEST(SpokenWords, AreHeardAsMuchEarlierAsTheModelIsLate) {
  Seen said = heard();
  take_off(said, 0.75);
  ASSERT_EQ(said.times.size(), 6U);
  EXPECT_EQ(said.times[0].start, 0);  // not before the recording
  EXPECT_EQ(said.times[0].end, 0.25);
  EXPECT_EQ(said.times[3].start, 0.75);
  take_off(said, -0.25);
  EXPECT_EQ(said.times[3].start, 1);
  EXPECT_TRUE(heard_times(said.weights, {}).empty());
}

/// Loud from 0.2 to 0.9 seconds and from 1.3 on, quiet otherwise.
TEST(SpokenWords, BeginWhereTheSoundRisesBeforeThem) {
  const TrainedModel trained = small_trained_model();
  Seen said = heard();
  said.rows = {"a", "b", " ", "a", "b", "</s>"};
  std::ranges::copy(std::vector<float>{0, 0, 1, 0, 0},
                    said.weights.row(2).begin());  // the blank is heard from 1 to 1.5,
  said.times = heard_times(said.weights, said.seconds);
  SoundLevels levels;
  levels.power.assign(250, 1e-6F);
  std::fill(levels.power.begin() + 20, levels.power.begin() + 90, 1.0F);
  std::fill(levels.power.begin() + 130, levels.power.end(), 1.0F);
  begin_with_sound(said, trained, levels);
  // A block that is within two blocks of loud ones is loud.
  EXPECT_NEAR(said.times[0].start, 0.18, 1e-9);
  EXPECT_EQ(said.times[1].start, 0.5);  // inside a word
  EXPECT_NEAR(said.times[3].start, 1.28, 1e-9);
  EXPECT_EQ(said.times[3].end, 2);
}

/// Loud from 0.2 to 1.2 seconds and from 1.5 to 2.1, quiet otherwise.
TEST(SpokenWords, EndWhereTheSoundFallsBehindThem) {
  const TrainedModel trained = small_trained_model();
  Seen said = heard();
  SoundLevels levels;
  levels.power.assign(250, 1e-6F);
  std::fill(levels.power.begin() + 20, levels.power.begin() + 120, 1.0F);
  std::fill(levels.power.begin() + 150, levels.power.begin() + 210, 1.0F);
  said.times[1].end = 1;  // the b of "ab"
  said.times[3] = {1.6, 1.8};
  said.times[4] = {1.8, 2};
  end_with_sound(said, trained, levels);
  EXPECT_EQ(said.times[0].end, 1) << "inside a word";
  EXPECT_NEAR(said.times[1].end, 1.22, 1e-9);
  EXPECT_EQ(said.times[3].end, 1.8);
  EXPECT_NEAR(said.times[4].end, 2.12, 1e-9);
}

}  // namespace
}  // namespace heed::test::word_times_test
