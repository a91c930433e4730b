#include "heed/metric/edit_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/edit_distance.h"
#include "heed/base/error.h"
#include "heed/base/philox.h"
#include "heed/metric/metrics.h"

namespace heed::edit_alignment_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Words = std::vector<std::string>;

TEST(EditAlignment, NamesEveryEdit) {
  EXPECT_THAT(
      edit_alignment({"one", "two", "four"}, {"one", "too", "six", "four"}),
      ElementsAre(EditStep::same, EditStep::insertion, EditStep::substitution, EditStep::same));
  EXPECT_THAT(edit_alignment({"a", "b", "c"}, {"a", "c"}),
              ElementsAre(EditStep::same, EditStep::deletion, EditStep::same));
  EXPECT_THAT(edit_alignment({}, {"a"}), ElementsAre(EditStep::insertion));
  EXPECT_THAT(edit_alignment({"a"}, {}), ElementsAre(EditStep::deletion));
  EXPECT_THAT(edit_alignment({}, {}), ElementsAre());
}

TEST(EditAlignment, RefusesLinesWhoseTableWouldFillTheMemory) {
  const Words many(20'000, "a");
  EXPECT_EQ(edit_alignment(many, {"a"}).size(), many.size());
  try {
    edit_alignment(many, many);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    EXPECT_THAT(error.what(), HasSubstr("a line of 20000 units"));
  }
}

TEST(EditAlignment, HasTheFewestEditsAndSpellsBothSides) {
  const Draws draws({.seed = 4});
  for (uint64_t trial = 0; trial < 300; ++trial) {
    Words reference(draws.below(1000 * trial, 9));
    Words output(draws.below(1000 * trial + 1, 9));
    uint64_t at = 1000 * trial + 2;
    for (Words* side : {&reference, &output}) {
      for (std::string& word : *side) {
        word = std::string(1, static_cast<char>('a' + draws.below(at++, 3)));
      }
    }
    const std::vector<EditStep> edits = edit_alignment(reference, output);
    EXPECT_EQ(static_cast<size_t>(counts_of(edits).edits()), edit_distance(reference, output));
    size_t i = 0;
    size_t j = 0;
    for (const EditStep edit : edits) {
      if (edit == EditStep::same || edit == EditStep::substitution) {
        EXPECT_EQ(reference.at(i) == output.at(j), edit == EditStep::same);
      }
      i += edit == EditStep::insertion ? 0 : 1;
      j += edit == EditStep::deletion ? 0 : 1;
    }
    EXPECT_EQ(i, reference.size());
    EXPECT_EQ(j, output.size());
  }
}

TEST(EditAlignment, IsWrittenAsScliteDoes) {
  EXPECT_EQ(aligned_lines(aligned_units({"one", "two", "four"}, {"one", "too", "three", "four"})),
            "REF: one *** two   four\n"
            "HYP: one too three four\n"
            "         I   S\n");
  EXPECT_EQ(aligned_lines(aligned_units({"a", " ", "b"}, {"a", "b"})),
            "REF: a ␣ b\n"
            "HYP: a * b\n"
            "       D\n");
}

TEST(ErrorRates, SayWhichEditsTheyCount) {
  const auto metric = metrics().make("wer");
  const std::vector<std::string> output = {"a x c", "e f g", "h"};
  const std::vector<References> wanted = {{"a b c d"}, {"e f"}, {"h"}};
  const Statistics sum = sum_of(metric->statistics(output, wanted));
  EXPECT_EQ(metric->details(sum), "(N = 7, S = 1, D = 1, I = 1; 2 of 3 lines wrong)");
  EXPECT_TRUE(metric->aligned("h", {"h"}).empty());
  EXPECT_THAT(aligned_lines(metric->aligned("e f g", {"z", "e f"})), HasSubstr("REF: e f *\n"));
  const auto letters = metrics().make("cer");
  EXPECT_THAT(aligned_lines(letters->aligned("ab", {"abc"})),
              HasSubstr("REF: a b c\nHYP: a b *\n         D\n"));
}

TEST(Metrics, ThoseThatCompareByUnitsSaySo) {
  std::vector<std::string> able;
  for (const auto& entry : metrics()) {
    const auto metric = entry.make();
    if (metric->compares_by_units()) {
      able.push_back(entry.name);
      EXPECT_FALSE(metric->aligned("a", {"b"}).empty()) << entry.name;
    } else if (metric->reads_text() && !metric->needs_corpus()) {
      EXPECT_TRUE(metric->aligned("a", {"b"}).empty()) << entry.name;
    }
  }
  EXPECT_GE(able.size(), 3U);
}

TEST(SentenceErrorRate, CountsLinesWithAnyError) {
  const auto metric = metrics().make("ser");
  const std::vector<std::string> output = {"a b", "a  c", "d", "x"};
  const std::vector<References> wanted = {{"a b"}, {"a c"}, {"e", "d"}, {"y"}};
  EXPECT_DOUBLE_EQ(metric->score(output, wanted), 25);
}

TEST(StartTimes, CountsWordsThatBeginNearTheirPlace) {
  const auto metric = metrics().make("start_times");
  const std::vector<std::string> output = {"one@0.14 two@0.50 six@0.9", "five@1"};
  const std::vector<References> wanted = {{"one@0.12 two@0.58 three@0.9"}, {"five@1.04"}};
  EXPECT_DOUBLE_EQ(metric->score(output, wanted), 50);  // one and five, of four
  const Statistics sum = sum_of(metric->statistics(output, wanted));
  EXPECT_EQ(metric->details(sum), "(N = 4, 3 right; offset -33.3 ms, size 46.7 ms)");
  MetricSettings settings;
  settings.tolerance_ms = 80;
  metric->set(settings);
  EXPECT_DOUBLE_EQ(metric->score(output, wanted), 75);
  EXPECT_EQ(metric->traits().front().second, "80ms");
  for (const char* wrong : {"one", "one@", "one@x", "one@1s", "one@inf"}) {
    const std::vector<std::string> bad = {wrong};
    const std::vector<References> right = {{"one@1"}};
    EXPECT_THROW(metric->score(bad, right), Error) << wrong;
  }
}

}  // namespace
}  // namespace heed::edit_alignment_test
