#include "heed/data/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <utility>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "tests/base/scratch_directory.h"

namespace heed::rows_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// "source>target|target"
std::vector<std::string> rows_of(RowReader& reader) {
  std::vector<std::string> all;
  for (Row row; reader.next(row);) {
    std::string line = row.source;
    for (const std::string& target : row.targets) {
      line += (&target == &row.targets.front() ? ">" : "|") + target;
    }
    all.push_back(line);
  }
  return all;
}

std::vector<std::string> rows_of(RowFiles files) {
  RowReader reader(std::move(files));
  return rows_of(reader);
}

std::string refusal(RowFiles files, Fault fault = Fault::file) {
  try {
    rows_of(std::move(files));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    return error.what();
  }
  return "nothing failed";
}

class Rows : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    write_atomically(scratch_ / name, text);
    return scratch_ / name;
  }
  std::string compressed(const std::string& name, const std::string& text) {
    const gzFile out = gzopen((scratch_ / name).c_str(), "wb");
    gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
    gzclose(out);
    return scratch_ / name;
  }

  ScratchDirectory scratch_;
};

TEST_F(Rows, OfTwoColumnsOneFileAfterAnother) {
  const std::string one = file("one.tsv", "a b\tc\r\nd\te f\n");
  const std::string two = compressed("two.tsv.gz", "Go.\t走。");
  EXPECT_THAT(rows_of({.source = {one, two}}), ElementsAre("a b>c", "d>e f", "Go.>走。"));
}

TEST_F(Rows, OfTheColumnsThatAreAskedFor) {
  const std::string path = file("a.tsv", "1\tone\teins\tun\n2\ttwo\tzwei\t\n");
  EXPECT_THAT(rows_of({.source = {path}, .columns = {2, 3}}), ElementsAre("one>eins", "two>zwei"));
  EXPECT_THAT(rows_of({.source = {path}, .columns = {3, 2}}), ElementsAre("eins>one", "zwei>two"));
  // A missing reference does not count.
  EXPECT_THAT(rows_of({.source = {path}, .columns = {2, 3, 4}}),
              ElementsAre("one>eins|un", "two>zwei"));
}

TEST_F(Rows, OfFilesLineByLine) {
  const std::string a = file("a.en", "one\ntwo\tstill two");
  const std::string b = compressed("a.de.gz", "eins\nzwei\n");
  const std::string c = file("a.fr", "un\ndeux\n");
  EXPECT_THAT(rows_of({.source = {a}, .target = {b}}),
              ElementsAre("one>eins", "two\tstill two>zwei"));
  EXPECT_THAT(rows_of({.source = {a}, .target = {b, c}}),
              ElementsAre("one>eins|un", "two\tstill two>zwei|deux"));
  EXPECT_THAT(rows_of({.source = {b, c}, .target = {c, b}}),
              ElementsAre("eins>un", "zwei>deux", "un>eins", "deux>zwei"));
}

TEST_F(Rows, FaultsNameFileAndLine) {
  const auto said = [this](const std::string& text, std::vector<std::int64_t> columns = {}) {
    return refusal({.source = {file("a.tsv", text)},
                    .columns = std::move(columns),
                    .most_line_bytes = 20,
                    .table = "data"});
  };
  const std::string path = scratch_ / "a.tsv";
  EXPECT_EQ(said("a\tb\nno tab here\n"),
            path +
                ":2: there is 1 column, but must be two: source, tab, target; keep only those (cut "
                "-f1,2), say which (data.columns = [1, 2]), or list \"columns\" in data.skip");
  EXPECT_THAT(said("a\tb\tc\n"), HasSubstr("a.tsv:1: there are 3 columns, but must be two"));
  EXPECT_EQ(said("a\tb\tc\na\tb\n", {1, 3}),
            path +
                ":2: there are 2 columns, but must be 3, the last that is asked "
                "for; complete the line, or list \"columns\" in data.skip");
  EXPECT_EQ(said("a\tb\nx\xC3\ty\n"), path +
                                          ":2: byte 0xC3 at position 1 is not UTF-8; convert the "
                                          "text to UTF-8, or list \"encoding\" in data.skip");
  EXPECT_EQ(said("a\tb\n\xE3\x80\x80 \tb\n"),
            path +
                ":2: the source is empty; complete or remove the line, or list "
                "\"empty\" in data.skip");
  EXPECT_THAT(said("a\t\n"), HasSubstr("a.tsv:1: the target is empty"));
  EXPECT_THAT(said("a\tb\n\n"), HasSubstr("a.tsv:2: there is 1 column"));
  EXPECT_EQ(said("a\tb\na\tbbbbbbbbbbbbbbbbbbbbbbb\n"),
            path +
                ":2: the line is longer than 20 bytes; is it text? Then raise data.max_line_bytes, "
                "or list \"long\" in data.skip");
  EXPECT_THAT(refusal({.source = {scratch_ / "none"}}), HasSubstr("none: cannot open"));
}

TEST_F(Rows, WithoutSettingsFaultsSpeakOfNone) {
  const std::string said = refusal({.source = {file("a.tsv", "no tab here\n")}});
  EXPECT_EQ(said, scratch_ / "a.tsv" +
                      ":1: there is 1 column, but must be two: source, tab, target; keep only "
                      "those (cut -f1,2)");
}

TEST_F(Rows, OfAMegabyteAreRefusedOrPassedOver) {
  const std::string path =
      compressed("a.tsv.gz", "a\tb\n" + std::string(1 << 20, 'x') + "\ty\nc\td\n");
  EXPECT_THAT(refusal({.source = {path}}), HasSubstr("a.tsv.gz:2: the line is longer than 100000"));
  RowReader reader({.source = {path}, .skip = {"long"}});
  EXPECT_THAT(rows_of(reader), ElementsAre("a>b", "c>d"));
  EXPECT_EQ(reader.left_out().sentence(), "1 of too many bytes (" + path + ":2)");
}

TEST_F(Rows, FaultsThatMaySkipAreCounted) {
  const std::string path = file(
      "a.tsv", "a\tb\nx\xC3\ty\nnone\n\tb\nc\td\na\t \nto\to long a line for these\n\n\xFF\t\n");
  RowReader reader(
      {.source = {path}, .most_line_bytes = 20, .skip = {"encoding", "columns", "empty", "long"}});
  EXPECT_THAT(rows_of(reader), ElementsAre("a>b", "c>d"));
  EXPECT_EQ(reader.left_out().count(), 7);
  EXPECT_EQ(reader.left_out().sentence(), "2 not UTF-8 (the first is " + path +
                                              ":2), 2 with other columns (the first is " + path +
                                              ":3), 2 with an empty side (the first is " + path +
                                              ":4), 1 of too many bytes (" + path + ":7)");
}

TEST_F(Rows, OnlyTheFaultsNamedMaySkip) {
  const std::string path = file("a.tsv", "a\tb\nx\xC3\ty\nnone\n");
  EXPECT_THAT(refusal({.source = {path}, .skip = {"encoding"}}),
              HasSubstr("a.tsv:3: there is 1 column"));
}

TEST_F(Rows, AFaultOnOneSideTakesItsPartnerAlong) {
  const std::string a = file("a.en", "one\n\nthree\nfo\xC3ur\nfive\n");
  const std::string b = file("a.de", "eins\nzwei\n\nvier\n" + std::string(50, 'x') + "\n");
  EXPECT_THAT(refusal({.source = {a}, .target = {b}}), HasSubstr("a.en:2: the source is empty"));
  RowReader reader(
      {.source = {a}, .target = {b}, .most_line_bytes = 20, .skip = {"empty", "encoding", "long"}});
  EXPECT_THAT(rows_of(reader), ElementsAre("one>eins"));
  EXPECT_EQ(reader.left_out().count("with an empty side"), 2);
  EXPECT_THAT(reader.left_out().sentence(), HasSubstr("1 not UTF-8 (" + a + ":4)"));
  EXPECT_THAT(reader.left_out().sentence(), HasSubstr("1 of too many bytes (" + b + ":5)"));
}

TEST_F(Rows, FilesOfUnequalLength) {
  const std::string a = file("a.en", "one\ntwo\nthree\nfour\n");
  const std::string b = file("b.de", "eins\nzwei\n");
  EXPECT_EQ(
      refusal({.source = {a}, .target = {b}, .table = "data"}),
      a + ":3: a line has no partner (" + a + " and " + b +
          " have 4 and 2 lines); complete the files, so that line i of one belongs to line i of "
          "the other, or list \"unmatched\" in data.skip");
  EXPECT_THAT(
      refusal({.source = {b}, .target = {a}}),
      HasSubstr(a + ":3: a line has no partner (" + b + " and " + a + " have 2 and 4 lines)"));
  RowReader reader({.source = {b}, .target = {a}, .skip = {"unmatched"}});
  EXPECT_THAT(rows_of(reader), ElementsAre("eins>one", "zwei>two"));
  EXPECT_EQ(reader.left_out().sentence(), "2 without a partner (the first is " + a + ":3)");
}

TEST_F(Rows, FilesWhoseNumbersDoNotMatch) {
  EXPECT_EQ(refusal({.source = {"a", "b"}, .target = {"c"}}, Fault::usage),
            "data: 2 source files and 1 target files do not go together; give as many of each, or "
            "several target files (references) for one source file");
  EXPECT_THAT(refusal({.source = {"a"}, .target = {"b"}, .columns = {1, 2}}, Fault::usage),
              HasSubstr("columns and files of target lines exclude each other; leave out the "
                        "columns or the files"));
  EXPECT_EQ(
      refusal({.source = {"a"}, .columns = {1}}, Fault::usage),
      "data: columns = [1] is not enough; give the source's and the target's, such as [1, 2]");
}

TEST_F(Rows, EmptySidesWhereTheyAreAllowed) {
  EXPECT_THAT(rows_of({.source = {file("a.tsv", "a\t\n\t\n")}, .allows_empty = true}),
              ElementsAre("a>", ">"));
}

TEST(JoinedRows, HaveTheTargetsOfAllEachOnce) {
  const std::vector<Row> joined =
      joined_by_source({{"a", {"x"}}, {"b", {"y"}}, {"a", {"z", "x"}}, {"c", {"x"}}, {"b", {"w"}}});
  ASSERT_EQ(joined.size(), 3U);
  EXPECT_EQ(joined[0].source, "a");
  EXPECT_THAT(joined[0].targets, ElementsAre("x", "z"));
  EXPECT_THAT(joined[1].targets, ElementsAre("y", "w"));
  EXPECT_EQ(joined[2].source, "c");
}

TEST(LeftOutSentence, CountsByReason) {
  LeftOut one;
  EXPECT_EQ(one.sentence(), "");
  one.add("too long");
  one.add("empty", 2, "a:3");
  one.add("too long", 4);
  LeftOut two;
  two.add("empty", 1, "b:1");
  two.add("odd", 1, "b:2");
  one.add(two);
  EXPECT_EQ(one.sentence(), "5 too long, 3 empty (the first is a:3), 1 odd (b:2)");
  EXPECT_EQ(one.count(), 9);
  EXPECT_EQ(one.count("empty"), 3);
  EXPECT_EQ(one.count("none"), 0);
}

}  // namespace
}  // namespace heed::rows_test
