#include "heed/data/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/data/batches.h"
#include "heed/data/learn_fields.h"
#include "heed/data/synths.h"
#include "tests/base/scratch_directory.h"
#include "tests/support/backends.h"
#include "tests/support/worked_out.h"

namespace heed::fields_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Place here() { return {&test::forced("reference"), DType::f32}; }

std::shared_ptr<Field> features(const std::string& settings) {
  FieldChoice choice;
  apply(choice, parse_json(R"({"source": {"kind": "features")" + settings + "}}", "test"));
  return choice.made().source;
}

std::vector<float> numbers_of(ItemView item) {
  std::vector<float> numbers(item.size() / sizeof(float));
  std::memcpy(numbers.data(), item.data(), item.size());
  return numbers;
}

TEST(Fields, AreChosenAndWrittenDown) {
  FieldChoice choice;
  EXPECT_EQ(choice.source().kind(), "text");
  apply(choice,
        parse_json(R"({"source": {"kind": "features", "width": 3, "noise": 0.5}})", "test"));
  const Fields made = choice.made();
  EXPECT_EQ(made.source->form().width(), 3);
  FieldChoice again;
  apply(again, config_of(made));
  EXPECT_EQ(config_of(again.made()), config_of(made));
}

TEST(Text, ReadsOnlyTheBeginningOfACellWhereItIsTold) {
  FieldChoice choice;
  apply(choice,
        parse_json(R"({"source": {"kind": "text", "first_tokens": 3, "whole": true}})", "test"));
  Cells cells;
  cells.add("one two three four", "a");
  cells.add("four two", "b");
  cells.finish();
  const Fields fields = learn_fields(choice.made(), cells, {.source = "words", .target = "words"});
  const Field& source = *fields.source;
  EXPECT_TRUE(source.is_one_text());
  EXPECT_EQ(source.length(source.read("one two three four")), 3);
  EXPECT_EQ(source.read("one two three four"), source.read("one two three"));
  EXPECT_EQ(source.length(source.read("four two")), 2);
  EXPECT_THAT(source.labels(source.reading(std::string("one two three four"))),
              ElementsAre("one", "two", "three", "</s>"));
  EXPECT_THAT(source.summary(),
              HasSubstr("(words), never split into sentences, the first 3 of a text"));
  CorpusWriter writer(fields, {.max_source = 3});
  writer.add(cells.source(0), cells.target(0));
  EXPECT_EQ(writer.finish().size(), 1) << "what is not read is not too long";
}

TEST(Text, IsReadAsPeopleTypeIt) {
  FieldChoice choice;
  apply(choice,
        parse_json(R"({"source": {"kind": "text", "plain_quotes": true, "lower_capitals": true}})",
                   "test"));
  Cells cells;
  cells.add("it's fine", "a");
  cells.finish();
  const Fields fields = learn_fields(choice.made(), cells, {.source = "words", .target = "words"});
  const Field& source = *fields.source;
  EXPECT_EQ(source.read("IT’S FINE"), source.read("it's fine"));
  EXPECT_NE(source.read("It’s fine"), source.read("it's fine")) << "one capital stays";
  EXPECT_EQ(source.as_read("IT’S FINE"), "it's fine");
  EXPECT_THAT(source.labels(source.reading(std::string("IT’S FINE"))),
              ElementsAre("it's", "fine", "</s>"));
}

TEST(Features, ReadCellsOfAllForms) {
  const ScratchDirectory scratch;
  const std::vector<float> six = {1, 2, 3, 4, 5, 6};
  write_atomically(scratch / "t.f32", std::string(reinterpret_cast<const char*>(six.data()), 24));
  const auto field = features(R"(, "width": 2, "cells": "range")");
  EXPECT_EQ(field->columns(), 2);
  const std::string cell = field->located("1\t2", scratch / "t.tsv");
  EXPECT_EQ(cell, (scratch / "t.f32") + ":1:2");
  const Item item = field->read(cell);
  EXPECT_THAT(numbers_of(item), ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(field->length(item), 2);
  EXPECT_EQ(field->rows(item), 2);
  EXPECT_THAT(field->labels({item}), ElementsAre("0", "1"));
  EXPECT_EQ(field->read("3 4; 5 6"), item);
  EXPECT_EQ(features(R"(, "cells": "npy")")->located("a.npy", "/data/t.tsv"), "/data/a.npy");
  EXPECT_THROW(field->located("1", scratch / "t.tsv"), Error) << "how many rows is not said";
  EXPECT_THROW(field->read("nan 1"), Error);
  EXPECT_THROW(features("")->check(), Error) << "a width must be given";
}

TEST(Features, CollateIntoPackedRows) {
  const auto field = features(R"(, "width": 2)");
  const std::vector<Item> items = {field->read("1 2; 3 4"), field->read("5 6")};
  const FieldRows rows = field->collate(items, here()).uploaded(here());
  EXPECT_EQ(rows.values.shape(), (Shape{3, 2}));
  EXPECT_THAT(rows.values.values(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(rows.layout.lengths(), ElementsAre(2, 1));
}

TEST(Features, ChangeByTheKeyAlone) {
  const auto field = features(R"(, "width": 1, "noise": 0.5, "masks": 2, "mask_rows": 3)");
  std::string text = "0";
  for (int i = 1; i < 400; ++i) {
    text += ";" + std::to_string(i % 2);
  }
  const Item item = field->read(text);
  EXPECT_EQ(field->prepared(item, std::nullopt), item) << "without a key nothing changes";
  const RandomKey key{1, 2, 3};
  const Item changed = field->prepared(item, key);
  EXPECT_EQ(field->prepared(item, key), changed);
  EXPECT_NE(field->prepared(item, RandomKey{1, 2, 4}), changed) << "another example";
  EXPECT_NE(field->prepared(item, RandomKey{1, 3, 3}), changed) << "another epoch";
  EXPECT_NE(field->prepared(item, RandomKey{2, 2, 3}), changed) << "another seed";
  // Noise of deviation 0.5: its mean square over 400 numbers is 0.25 ± 0.05.
  const auto noisy = features(R"(, "width": 1, "noise": 0.5)")->prepared(item, key);
  double squares = 0;
  for (size_t i = 0; i < 400; ++i) {
    const double off = numbers_of(noisy)[i] - static_cast<float>(i % 2);
    squares += off * off / 400;
  }
  EXPECT_NEAR(squares, 0.25, 0.05);
  // Masked rows have the mean of all, 0.5; at most two stretches of three rows.
  int masked = 0;
  for (uint64_t example = 0; example < 50; ++example) {
    const auto blotted = features(R"(, "width": 1, "masks": 2, "mask_rows": 3)")
                             ->prepared(item, RandomKey{1, 1, example});
    const auto numbers = numbers_of(blotted);
    const auto count = std::count(numbers.begin(), numbers.end(), 0.5F);
    EXPECT_LE(count, 6);
    masked += static_cast<int>(count);
  }
  EXPECT_NEAR(masked / 50.0, 3, 1) << "1.5 rows a mask";
}

/// Features on one side and text on the other, spilled, hashed and cut into batches as any.
TEST(Features, RunFasterOrSlowerInTrainingByTheKeyAlone) {
  const auto field = features(R"(, "width": 1, "speed": 0.2)");
  const Item item = field->read("0;1;2;3;4;5;6;7;8;9");
  EXPECT_EQ(field->prepared(item, std::nullopt), item) << "not when serving";
  std::set<int64_t> lengths;
  for (uint64_t step = 0; step < 400; ++step) {
    const RandomKey key{1, step, 2};
    const Item once = field->prepared(item, key);
    EXPECT_EQ(once, field->prepared(item, key));
    lengths.insert(field->length(once));
  }
  EXPECT_EQ(*lengths.begin(), 8) << "10 rows at 1.2 times the speed are 8.3";
  EXPECT_EQ(*lengths.rbegin(), 13) << "10 rows at 0.8 times the speed are 12.5";
}

TEST(Features, FillACorpus) {
  const ScratchDirectory scratch;
  FieldChoice choice;
  apply(choice, parse_json(R"({"source": {"kind": "features", "width": 8}})", "test"));
  const auto synth = synths().make("signals");
  Cells cells;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Example example = synth->make(1, i);
    cells.add(example.source, example.target);
  }
  cells.finish();
  const Fields fields = learn_fields(choice.made(), cells, {.target = "characters"});
  EXPECT_FALSE(fields.source->has_vocabulary());
  EXPECT_EQ(fields.target->vocabulary().size(), 3U + 8);
  std::vector<Corpus> both;
  for (const std::uint64_t memory : {std::uint64_t{1} << 40, std::uint64_t{2000}}) {
    CorpusWriter writer(fields, {.max_source = 12}, {scratch.path(), memory});
    for (std::int64_t i = 0; i < cells.size(); ++i) {
      writer.add(cells.source(i), cells.target(i));
    }
    both.push_back(writer.finish());
  }
  EXPECT_FALSE(both[0].is_on_disk());
  EXPECT_TRUE(both[1].is_on_disk());
  EXPECT_EQ(both[0].hash(), both[1].hash());
  EXPECT_THAT(both[0].left_out().sentence(), HasSubstr("beyond max_source"));
  EXPECT_LT(both[1].window(), both[1].size());
  Batches batches(both[1], {.sentences = 8});
  const Batch batch = make_batch(both[1].items(batches.at(3)), here());
  EXPECT_EQ(batch.source.values.size(1), 8);
  EXPECT_EQ(batch.source.layout.count(), batch.target.count());
}

TEST(Fields, EveryOneIsWorkedOut) {
  test::expect_worked_out(fields(), {{"text", "LearnFields.OfTextsAreThoseOfExamples"},
                                     {"features", "Features.ReadCellsOfAllForms"},
                                     {"picture", "PictureField.CollatesBytesWithTheirGrid"},
                                     {"sound", "SoundField.RowsAreTheFeaturesOfTheFile"},
                                     {"none", "Fields.AreChosenAndWrittenDown"}});
}

}  // namespace
}  // namespace heed::fields_test
