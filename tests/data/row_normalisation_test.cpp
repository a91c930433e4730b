#include "heed/data/row_normalisation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/data/data_plan.h"
#include "heed/data/fields.h"
#include "tests/base/scratch_directory.h"

namespace heed::row_normalisation_test {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

std::shared_ptr<Field> field(const std::string& kind, const std::string& settings) {
  FieldChoice choice;
  apply(choice, parse_json(R"({"source": {"kind": ")" + kind + "\"" + settings + "}}", "test"));
  return choice.made().source;
}

std::vector<float> numbers_of(ItemView item) {
  std::vector<float> numbers(item.size() / sizeof(float));
  std::memcpy(numbers.data(), item.data(), item.size());
  return numbers;
}

/// 0, 4 and 8, 0 have the means 4, 2 and the deviations 4, 2.
TEST(FrameScale, ByHand) {
  FrameSums sums(2);
  sums.add(std::vector<float>{0, 4});
  sums.add(std::vector<float>{8, 0});
  EXPECT_EQ(sums.rows(), 2);
  const FrameScale scale = sums.scale(FrameNorm::mean_and_variance);
  EXPECT_THAT(scale.means, ElementsAre(4, 2));
  EXPECT_NEAR(scale.deviations[0], 4, 1e-9);
  EXPECT_NEAR(scale.deviations[1], 2, 1e-9);
  EXPECT_THAT(sums.scale(FrameNorm::mean).deviations, ElementsAre(1, 1));
  std::vector<float> rows = {12, 2, 4, 6};
  normalise(rows, scale);
  EXPECT_THAT(rows, Pointwise(FloatNear(1e-6F), {2.F, 0.F, 0.F, 2.F}));
  EXPECT_EQ(frame_scale_of(text_of(scale), 2), scale) << "to the last bit";
  EXPECT_EQ(text_of({{1.5, -2}, {0.25, 3}}), "1.5 0.25; -2 3");
  EXPECT_THROW(FrameSums(2).scale(FrameNorm::mean), Error) << "of no rows";
  for (const char* wrong : {"", "1.5 0.25", "1 2; 3 4; 5 6", "1 0; 1 1", "1 -1; 1 1", "nan 1; 1 1",
                            "1 inf; 1 1", "1 1; 1 one", "1 1; 1 1 "}) {
    EXPECT_THROW(frame_scale_of(wrong, 2), Error) << wrong;
  }
}

/// Without a table to learn from, every recording is normalised by itself.
TEST(RowNormalisation, OverARecording) {
  const auto one = field("features", R"(, "width": 1, "normalise": "mean")");
  EXPECT_THAT(numbers_of(one->read("1;3;8")), ElementsAre(-3, -1, 4));
  const auto both = field("features", R"(, "width": 1, "normalise": "mean_and_variance")");
  EXPECT_THAT(numbers_of(both->read("1;5")), Pointwise(FloatNear(1e-6F), {-1.F, 1.F}));
  EXPECT_FALSE(both->learns());
  EXPECT_EQ(both->columns(), 1);
}

TEST(RowNormalisation, OverTheCorpus) {
  const auto source = field("features", R"(, "width": 1, "normalise": "mean", "over": "corpus")");
  ASSERT_TRUE(source->learns());
  try {
    source->read("1;3");
    FAIL() << "nothing was learnt";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    EXPECT_THAT(error.what(), HasSubstr("no statistics of the training data"));
  }
  source->learn(std::vector<std::string>{"1;3", "8"});  // 12 / 3
  EXPECT_EQ(source->learnt(), "4 1");
  EXPECT_THAT(numbers_of(source->read("5")), ElementsAre(1));
  // The model file has the settings, and with them what was learnt.
  const auto loaded = field("features", R"(, "width": 1, "normalise": "mean", "over": "corpus",
    "statistics": "4 1")");
  EXPECT_THAT(numbers_of(loaded->read("5")), ElementsAre(1));
  loaded->learn(std::vector<std::string>{"100"});
  EXPECT_EQ(loaded->learnt(), "4 1") << "what is given is not learnt again";
  const auto broken = field("features", R"(, "width": 1, "normalise": "mean", "over": "corpus",
    "statistics": "4 0")");
  EXPECT_THROW(broken->read("5"), Error);
}

/// (3, 1) is brought to (1, 0), which is half a deviation to each side of its mean: u = 1/4.
TEST(RowNormalisation, SaysWhatIsUnlikeTheCorpus) {
  const std::string scale = R"(, "width": 2, "normalise": "mean_and_variance", "over": "corpus",
    "statistics": "1 2; 1 1")";
  const auto unlike = [&scale](const std::string& more, const char* cell) {
    const auto source = field("features", scale + more);
    return source->unlike(source->prepared(source->read(cell), std::nullopt));
  };
  EXPECT_THAT(unlike(R"(, "unlike_above": 0.24)", "3 1"),
              HasSubstr("differ by 0.25, and 0.24 is much"));
  EXPECT_EQ(unlike(R"(, "unlike_above": 0.26)", "3 1"), "");
  EXPECT_EQ(unlike("", "1000 1"), "") << "nothing is asked for";
  const auto heard = field("sound", R"(, "rate": 8000, "filters": 2, "unlike_above": 1e-9,
    "normalise": "mean_and_variance", "over": "corpus", "statistics": "0 1; 0 1")");
  const Item item = heard->read("tones:1000ms,20dB,#7,5@120+80");
  EXPECT_THAT(heard->unlike(heard->prepared(item, std::nullopt)), HasSubstr("is unlike"));
  for (const char* kind : {"features", "sound"}) {
    const auto alone = field(
        kind, R"(, "unlike_above": 0.3)" + std::string(kind[0] == 'f' ? R"(, "width": 2)" : ""));
    EXPECT_THROW(alone->check(), Error) << kind;
  }
}

TEST(RowNormalisation, OverASpeaker) {
  const auto source = field("features", R"(, "width": 1, "normalise": "mean", "over": "speaker")");
  EXPECT_EQ(source->columns(), 2);
  source->meet(std::vector<std::string>{"1;3\tann", "10\tbob", "8\tann"});
  EXPECT_THAT(numbers_of(source->read("1;3\tann")), ElementsAre(-3, -1)) << "12 / 3 is ann's mean";
  EXPECT_THAT(numbers_of(source->read("11\tbob")), ElementsAre(1));
  EXPECT_THAT(numbers_of(source->read("1;3\tcarl")), ElementsAre(-1, 1)) << "never met: by itself";
  EXPECT_THAT(numbers_of(source->read("1;3")), ElementsAre(-1, 1)) << "nobody";
  EXPECT_EQ(source->learnt(), "") << "the model keeps nothing of speakers";
}

TEST(RowNormalisation, RangesHaveASpeakerBehindThem) {
  const ScratchDirectory scratch;
  const std::vector<float> numbers = {1, 3, 8, 20};
  write_atomically(scratch / "t.f32", {reinterpret_cast<const char*>(numbers.data()), 16});
  const auto source = field(
      "features", R"(, "width": 1, "cells": "range", "normalise": "mean", "over": "speaker")");
  EXPECT_EQ(source->columns(), 3);
  std::vector<std::string> cells;
  for (const char* cell : {"0\t2\tann", "2\t1\tann", "3\t1\tbob"}) {
    cells.push_back(source->located(cell, scratch / "t.tsv"));
  }
  source->meet(cells);
  EXPECT_THAT(numbers_of(source->read(cells[0])), ElementsAre(-3, -1));
  EXPECT_THAT(numbers_of(source->read(cells[1])), ElementsAre(4));
  EXPECT_THAT(numbers_of(source->read(cells[2])), ElementsAre(0));
}

/// The mean of a column over all rows of these items.
double mean_of(const Field& source, const std::vector<Item>& items, std::size_t column) {
  const auto width = static_cast<std::size_t>(source.form().width());
  double sum = 0;
  std::size_t count = 0;
  for (const Item& item : items) {
    const auto rows = numbers_of(source.prepared(item, std::nullopt));
    for (std::size_t i = column; i < rows.size(); i += width, ++count) {
      sum += rows[i];
    }
  }
  return sum / static_cast<double>(count);
}

TEST(RowNormalisation, OfRecordings) {
  const std::vector<std::string> cells = {"tones:1000ms,20dB,#7,5@120+80",
                                          "tones:1500ms,0dB,#8,3@310+75"};
  const auto source =
      field("sound",
            R"(, "rate": 8000, "normalise": "mean_and_variance", "over": "corpus", "splice": 1)");
  ASSERT_TRUE(source->learns());
  source->learn(cells);
  EXPECT_EQ(frame_scale_of(source->learnt(), 80).width(), 80) << "of rows before they are spliced";
  const std::vector<Item> items = {source->read(cells[0]), source->read(cells[1])};
  for (const std::size_t column : {100U, 159U}) {  // the middle one of three joined rows
    EXPECT_NEAR(mean_of(*source, items, column), 0, 1e-4);
    EXPECT_GT(std::abs(mean_of(*source, {items[0]}, column)), 1e-2) << "not over each recording";
  }
}

/// From a table of recordings with their speakers: those of a speaker are normalised together, and a
/// run that resumes knows them again.
TEST(RowNormalisation, TablesNameSpeakers) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "t.tsv", "1;3\tann\tx\n8\tann\ty\n10\tbob\tx\n30\tbob\ty\n");
  DataPlan plan;
  apply(plan, parse_json(R"({"train": ")" + (scratch / "t.tsv") + R"(", "columns": [1, 3],
    "hold_out": 1, "source": {"kind": "features", "width": 1, "normalise": "mean", "over": "speaker"}})",
                         "test"));
  const Corpora first = plan.load();
  const std::vector<std::int64_t> all = {0, 1, 2};
  const auto rows = [&all](const Corpora& corpora) {
    std::vector<std::vector<float>> numbers;
    for (const Item& item : corpora.train.items(all).source) {
      numbers.push_back(numbers_of(item));
    }
    return numbers;
  };
  EXPECT_THAT(rows(first), ElementsAre(ElementsAre(-3, -1), ElementsAre(4), ElementsAre(0)));
  EXPECT_EQ(rows(plan.load(first.train.fields())), rows(first));
}

TEST(RowNormalisation, AResumedRunKeepsWhatWasLearnt) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "t.tsv", "1;3\tx\n8\ty\n30\tx\n");
  DataPlan plan;
  apply(plan, parse_json(R"({"train": ")" + (scratch / "t.tsv") + R"(", "hold_out": 1,
    "source": {"kind": "features", "width": 1, "normalise": "mean", "over": "corpus"}})",
                         "test"));
  const Corpora first = plan.load();
  EXPECT_EQ(first.train.fields().source->learnt(), "4 1") << "held-out rows are not among them";
  write_atomically(scratch / "t.tsv", "100;300\tx\n800\ty\n30\tx\n");
  EXPECT_EQ(plan.load(first.train.fields()).train.fields().source->learnt(), "4 1");
}

}  // namespace
}  // namespace heed::row_normalisation_test
