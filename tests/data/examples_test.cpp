#include "heed/data/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <functional>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/config/apply.h"
#include "heed/data/fields.h"
#include "tests/base/scratch_directory.h"
#include "tests/media/made_pictures.h"

namespace heed::examples_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file) << error.what();
    return error.what();
  }
  return "";
}

TEST(Examples, OfAMadeUpTaskAreItsOwn) {
  const auto examples = made_up_examples({"reverse", 7, Split::valid, 20});
  ASSERT_EQ(examples.size(), 20U);
  for (const Example& example : examples) {
    EXPECT_EQ(split_of(example.target), Split::valid);
  }
  const auto again = made_up_examples({"reverse", 7, Split::valid, 5});
  EXPECT_EQ(again[4].source, examples[4].source);
  EXPECT_THROW(made_up_examples({"revers", 7, Split::train, 1}), Error);
}

TEST(Examples, PairsFromOneFile) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "a.tsv", "one two\teins zwei\r\nthree\tdrei\n");
  const auto pairs = read_pairs(scratch / "a.tsv");
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].target, "eins zwei");
  EXPECT_EQ(pairs[1].source, "three");
}

TEST(Examples, PairsFromACompressedFile) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "a.tsv.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  gzputs(file, "Go.\t走。\n");
  gzclose(file);
  EXPECT_EQ(read_pairs(path).at(0).target, "走。");
}

TEST(Examples, FaultsOfAPairFileNameTheLine) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "a.tsv";
  write_atomically(path, "a\tb\nno tab here\n");
  EXPECT_THAT(refusal([&] { read_pairs(path); }), HasSubstr("a.tsv:2: there is 1 column"));
  write_atomically(path, "a\tb\tc\n");
  EXPECT_THAT(refusal([&] { read_pairs(path); }), HasSubstr("a.tsv:1: there are 3 columns"));
  write_atomically(path, "a\tb\nx\xC3\ty\n");
  EXPECT_THAT(refusal([&] { read_pairs(path); }), HasSubstr("a.tsv:2"));
  EXPECT_THAT(refusal([&] { read_pairs(scratch / "none"); }), HasSubstr("none"));
}

std::shared_ptr<Field> source_field(const std::string& settings) {
  FieldChoice choice;
  apply(choice, parse_json(R"({"source": )" + settings + "}", "test"));
  return choice.made().source;
}

/// A table that training read is read in the same way: cells are beside it, in their folder.
TEST(Examples, PairsOfPicturesAreBesideTheirTable) {
  const ScratchDirectory scratch;
  make_directory(scratch / "pics");
  write_atomically(scratch / "pics/a.png", test::png_file(test::sloping(4, 4)));
  write_atomically(scratch / "pics/b.png", test::png_file(test::sloping(4, 4)).substr(0, 60));
  const std::string path = scratch / "t.tsv";
  const auto field = source_field(R"({"kind": "picture", "side": 4, "folder": "pics"})");
  write_atomically(path, "a.png\ta picture\n\tnothing\n");
  const auto pairs = read_pairs(path, *field);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].source, scratch / "pics/a.png");
  EXPECT_EQ(pairs[0].target, "a picture");
  EXPECT_EQ(pairs[1].source, "");
  write_atomically(path, "a.png\ta picture\nb.png\tanother\n");
  EXPECT_THAT(refusal([&] { read_pairs(path, *field); }),
              StartsWith(path + ":2: " + (scratch / "pics/b.png") + ": "));
  write_atomically(path, "absent.png\ta picture\n");
  EXPECT_THAT(refusal([&] { read_pairs(path, *field); }),
              StartsWith(path + ":1: " + (scratch / "pics/absent.png") + ": "));
}

TEST(Examples, PairsOfAField) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "t.tsv";
  write_atomically(path, "a.png\tb\n");
  EXPECT_EQ(read_pairs(path, *source_field(R"("text")")).at(0).source, "a.png");
  EXPECT_THAT(read_pairs(path, *source_field(R"("none")")).at(0).target, "a.png\tb");
  const auto ranges = source_field(R"({"kind": "features", "width": 2, "cells": "range"})");
  write_atomically(scratch / "t.f32", std::string(3 * 2 * sizeof(float), '\0'));
  write_atomically(path, "1\t2\ttwo rows\n");
  const auto pairs = read_pairs(path, *ranges);
  EXPECT_EQ(pairs.at(0).source, (scratch / "t.f32") + ":1:2");
  EXPECT_EQ(pairs.at(0).target, "two rows");
}

TEST(Examples, TwoFilesOfAFieldAreLocatedAndFaultyLinesNamed) {
  const ScratchDirectory scratch;
  const auto ranges = source_field(R"({"kind": "features", "width": 2, "cells": "range"})");
  write_atomically(scratch / "t.f32", std::string(3 * 2 * sizeof(float), '\0'));
  write_atomically(scratch / "t.tsv", "0\t1\n1\t2\n");
  write_atomically(scratch / "said.txt", "one\ntwo\n");
  const auto pairs = read_parallel(scratch / "t.tsv", scratch / "said.txt", *ranges);
  EXPECT_EQ(pairs.at(1).source, (scratch / "t.f32") + ":1:2");
  EXPECT_EQ(pairs.at(1).target, "two");
  write_atomically(scratch / "t.tsv", "0\t1\n1\t9\n");
  EXPECT_THAT(refusal([&] { read_parallel(scratch / "t.tsv", scratch / "said.txt", *ranges); }),
              StartsWith((scratch / "t.tsv") + ":2: "));
}

TEST(Examples, TwoFilesGoLineByLine) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "a.en", "one\ntwo\nthree\tstill three");
  write_atomically(scratch / "a.de", "eins\nzwei\ndrei\n");
  const auto text = source_field(R"("text")");
  const auto pairs = read_parallel(scratch / "a.en", scratch / "a.de", *text);
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[2].source, "three\tstill three");
  EXPECT_EQ(pairs[2].target, "drei");

  write_atomically(scratch / "b.de", "eins\nzwei\n");
  const std::string said =
      refusal([&] { read_parallel(scratch / "a.en", scratch / "b.de", *text); });
  EXPECT_THAT(said, HasSubstr("have 3 and 2 lines"));
  EXPECT_THAT(said, HasSubstr("b.de"));
  EXPECT_THAT(refusal([&] { read_parallel(scratch / "b.de", scratch / "a.en", *text); }),
              HasSubstr("have 2 and 3 lines"));
}

}  // namespace
}  // namespace heed::examples_test
