#include "heed/data/data_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/atomic_file.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/data/hasty_copies.h"
#include "tests/base/scratch_directory.h"

namespace heed::data_plan_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Failure {
  std::string what;
  Fault fault = Fault::runtime;
};

Failure failure_of(const std::string& settings, const DataFolders& folders = {}) {
  DataPlan plan;
  apply(plan, parse_json(settings, "test"));
  try {
    plan.load(folders);
  } catch (const Error& error) {
    return {error.what(), error.fault()};
  }
  return {"nothing failed", Fault::runtime};
}

TEST(DataPlan, MakesUpATask) {
  DataPlan plan;
  apply(plan,
        parse_json(R"({"synth": "reverse", "train_examples": 30, "valid_examples": 5})", "test"));
  const Corpora corpora = plan.load();
  EXPECT_EQ(corpora.train.size(), 30);
  EXPECT_EQ(corpora.valid.size(), 5);
  EXPECT_EQ(corpora.train.fields().source->vocabulary().tokeniser().name(), "characters");
  // Vocabularies that exist are used as they are.
  EXPECT_EQ(plan.load(corpora.train.fields()).train.hash(), corpora.train.hash());
}

TEST(DataPlan, ATargetTokenIsASourceTokenUnlessSaid) {
  const auto tokens = [](const std::string& settings) {
    DataPlan plan;
    apply(plan, parse_json(R"({"synth": "reverse", "train_examples": 30, "valid_examples": 5)" +
                               settings + "}",
                           "test"));
    const Fields fields = plan.load().train.fields();
    return std::pair(std::string(fields.source->vocabulary().tokeniser().name()),
                     std::string(fields.target->vocabulary().tokeniser().name()));
  };
  using Names = std::pair<std::string, std::string>;
  EXPECT_EQ(tokens(R"(, "source_tokens": "bytes")"), Names("bytes", "bytes"));
  EXPECT_EQ(tokens(R"(, "source_tokens": "bytes", "target_tokens": "words")"),
            Names("bytes", "words"));
  EXPECT_EQ(tokens(R"(, "target_tokens": "bytes")"), Names("characters", "bytes"));
}

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    write_atomically(scratch_ / "train.tsv", "a b\tb a\nc d e\te d c\n");
    write_atomically(scratch_ / "valid.tsv", "b a\ta b\n");
    write_atomically(scratch_ / "lines.src", "a b\nc\n");
    write_atomically(scratch_ / "lines.trg", "b a\nc\n");
    write_atomically(scratch_ / "empty.tsv", "");
  }
  DataFolders folders(const std::string& spill = "") const {
    return {spill, {.data = scratch_.path(), .recipe = scratch_.path()}};
  }
  Failure failure_of(const std::string& settings) const {
    return data_plan_test::failure_of(settings, folders());
  }
  Corpora loaded(const std::string& settings, const std::string& spill = "") const {
    DataPlan plan;
    apply(plan, parse_json(settings, "test"));
    return plan.load(folders(spill));
  }

  ScratchDirectory scratch_;
};

TEST_F(Files, MayBeBesideTheRecipe) {
  const Corpora corpora = loaded(R"({"train": ["$HEED_DATA/train.tsv", "$RECIPE/valid.tsv"],
    "valid": "$RECIPE/valid.tsv", "source_tokens": "words"})");
  EXPECT_EQ(corpora.train.size(), 3);
  EXPECT_EQ(corpora.valid.size(), 1);
}

TEST_F(Files, AreReadAsPairsOrLines) {
  DataPlan plan;
  apply(plan, parse_json(R"({"train": "$HEED_DATA/train.tsv", "valid": "$HEED_DATA/lines.src",
    "valid_target": "$HEED_DATA/lines.trg", "source_tokens": "words", "target_tokens": "words",
    "share_vocabulary": true, "max_source": 2})",
                         "test"));
  const Corpora corpora = plan.load(folders());
  EXPECT_EQ(corpora.train.size(), 1);
  EXPECT_EQ(corpora.train.left_out().sentence(), "1 beyond max_source");
  EXPECT_EQ(corpora.valid.size(), 2);
  EXPECT_TRUE(corpora.train.fields().shares_vocabulary());
}

TEST_F(Files, SayWhatTakesLong) {
  std::string pairs;
  for (int i = 0; i < 10000; ++i) {
    pairs += "a big house\tthe house is big\n";
  }
  write_atomically(scratch_ / "many.tsv", pairs);
  const auto said = [this](const std::string& more) {
    std::string lines;
    DataFolders all = folders();
    all.say = [&lines](const std::string& line) { lines += line + "\n"; };
    DataPlan plan;
    apply(plan, parse_json(R"({"valid": "$HEED_DATA/valid.tsv", )" + more + "}", "test"));
    plan.load(all);
    return lines;
  };
  EXPECT_EQ(said(R"("train": "$HEED_DATA/train.tsv")"), "");
  EXPECT_EQ(said(R"("train": "$HEED_DATA/many.tsv", "source_vocabulary": 300,
                    "source_tokens": "bpe", "target_tokens": "unigram")"),
            "reading $HEED_DATA/many.tsv\n"
            "learning 300 subwords of the source and 8000 subwords of the target\n");
  EXPECT_EQ(said(R"("train": "$HEED_DATA/many.tsv", "source_vocabulary": 300,
                    "source_tokens": "bpe", "share_vocabulary": true)"),
            "reading $HEED_DATA/many.tsv\n"
            "learning 300 subwords of the source and the target\n");
}

TEST_F(Files, SubwordsAreLearntAsAsked) {
  std::string pairs = "once z Ａ\tonce z\n";
  for (int i = 0; i < 30; ++i) {
    pairs += "a big house\tthe house is big\n";
  }
  write_atomically(scratch_ / "subwords.tsv", pairs);
  const auto learnt = [this](const std::string& more) {
    DataPlan plan;
    apply(plan, parse_json(R"({"train": "$HEED_DATA/subwords.tsv", "valid": "$HEED_DATA/lines.src",
      "valid_target": "$HEED_DATA/lines.trg", "source_tokens": "bpe", "target_tokens": "bpe")" +
                               more + "}",
                           "test"));
    return plan.load(folders());
  };
  const Corpora plain = learnt("");
  EXPECT_EQ(plain.train.fields().source->vocabulary().tokeniser().name(), "bpe");
  EXPECT_EQ(learnt("").train.fields().source->vocabulary().to_bytes(),
            plain.train.fields().source->vocabulary().to_bytes());
  EXPECT_EQ(plain.train.fields().source->vocabulary().encode("ü").size(),
            3U);  // a blank and two bytes
  const Corpora shared = learnt(R"(, "share_vocabulary": true)");
  EXPECT_TRUE(shared.train.fields().shares_vocabulary());
  for (const char* more : {R"(, "byte_fallback": false)", R"(, "character_coverage": 0.98)",
                           R"(, "normalise": "nfkc")", R"(, "source_vocabulary": 275)"}) {
    EXPECT_NE(learnt(more).train.fields().source->vocabulary().to_bytes(),
              plain.train.fields().source->vocabulary().to_bytes())
        << more;
  }
}

TEST(HastyCopies, AreInSmallLettersWithoutTheirLastMark) {
  EXPECT_EQ(in_haste("Where is Tom?"), "where is tom");
  EXPECT_EQ(in_haste("Hello!"), "hello");
  EXPECT_EQ(in_haste("Well ... "), "well");
  EXPECT_EQ(in_haste("ÄRGER。"), "ärger");
  EXPECT_EQ(in_haste("Mr. X is 3.5 m"), "mr. x is 3.5 m");
  EXPECT_EQ(in_haste("?!"), "?!");
  EXPECT_EQ(in_haste(""), "");
}

TEST(HastyCopies, AreAShareOfThePairsThatTheyChange) {
  for (const double share : {0.0, 0.3, 1.0}) {
    std::vector<std::pair<std::string, std::string>> taken;
    const TakePair take = [&taken](std::string_view source, std::string_view target) {
      taken.emplace_back(source, target);
    };
    HastyCopies pairs(share, take);
    for (int i = 0; i < 1000; ++i) {
      pairs("Go " + std::to_string(i) + ".", std::to_string(i));
      pairs("as it is", "x");
    }
    // Every pair stays, and is followed by its copy if it has one.
    int copies = 0;
    for (size_t i = 0; i < taken.size(); ++i) {
      if (taken[i].first.starts_with("go")) {
        ++copies;
        EXPECT_EQ(taken[i].second, taken[i - 1].second);
        EXPECT_EQ(taken[i].first, in_haste(taken[i - 1].first));
      }
    }
    EXPECT_EQ(taken.size(), 2000U + static_cast<size_t>(copies));
    EXPECT_NEAR(copies, 1000 * share, 60) << share;  // four standard deviations
  }
}

TEST_F(Files, AreLearntInHasteToo) {
  write_atomically(scratch_ / "said.tsv", "Hello!\tx\nso be it\ty\n");
  const Corpora corpora = loaded(
      R"({"train": "$HEED_DATA/said.tsv", "valid": "$HEED_DATA/valid.tsv", "hasty_copies": 1})");
  EXPECT_EQ(corpora.train.size(), 3);
  EXPECT_EQ(corpora.valid.size(), 1);
  EXPECT_THAT(failure_of(R"({"source": {"kind": "features", "width": 2}, "hasty_copies": 0.5,
                             "train": "$HEED_DATA/said.tsv", "valid": "$HEED_DATA/valid.tsv"})")
                  .what,
              HasSubstr("data.hasty_copies: is for a source of text, not features"));
}

TEST_F(Files, HoldOutTheirLastRows) {
  write_atomically(scratch_ / "four.tsv", "a\tb\nc\td\ne\tf\ng\th\n");
  const std::string settings = R"({"train": "$HEED_DATA/four.tsv", "hold_out": )";
  DataPlan plan;
  apply(plan, parse_json(settings + "1}", "test"));
  const Corpora corpora = plan.load(folders());
  EXPECT_EQ(corpora.train.size(), 3);
  ASSERT_EQ(corpora.valid.size(), 1);
  EXPECT_EQ(corpora.valid.text(0).source, "g");
  EXPECT_EQ(corpora.train.fields().source->vocabulary().id("g"), SpecialTokens().unknown());
  const Failure both = failure_of(settings + R"(1, "valid": "$HEED_DATA/valid.tsv"})");
  EXPECT_THAT(both.what, HasSubstr("hold_out = 1 and `valid`"));
  EXPECT_EQ(failure_of(settings + "4}").fault, Fault::file) << "nothing is left to train on";
}

TEST(DataPlan, NeedsTheVariableThatAPathNames) {
  const Failure failure =
      failure_of(R"({"train": "$HEED_DATA/train.tsv", "valid": "$HEED_DATA/valid.tsv"})");
  EXPECT_THAT(failure.what,
              HasSubstr("$HEED_DATA/train.tsv needs the folder that holds the data; set "
                        "HEED_DATA=/path/to/data (in a program: "
                        "EngineOptions::data_folder)"));
  EXPECT_EQ(failure.fault, Fault::usage);
}

TEST_F(Files, OfFeaturesNameTheirRows) {
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6, 7, 8};
  write_atomically(scratch_ / "sound.f32",
                   std::string(reinterpret_cast<const char*>(numbers.data()), 32));
  write_atomically(scratch_ / "sound.tsv", "one\t0\t1\ta b\ntwo\t1\t3\tb\n");
  DataPlan plan;
  apply(plan, parse_json(R"({"train": "$HEED_DATA/sound.tsv", "columns": [2, 4], "hold_out": 1,
    "source": {"kind": "features", "width": 2, "cells": "range"}})",
                         "test"));
  const Corpora corpora = plan.load(folders());
  EXPECT_EQ(corpora.train.fields().source->length(corpora.train.source(0)), 1);
  EXPECT_EQ(corpora.valid.text(0).source, (scratch_ / "sound.f32") + ":1:3");
  EXPECT_EQ(corpora.valid.longest_side(0), 3);
  const Failure narrow = failure_of(R"({"train": "$HEED_DATA/sound.tsv", "columns": [2, 4],
    "hold_out": 1, "source": {"kind": "features", "width": 3, "cells": "range"}})");
  EXPECT_THAT(narrow.what, HasSubstr("are not whole rows of 3 float32 numbers"));
  EXPECT_EQ(narrow.fault, Fault::file);
}

TEST_F(Files, OfTextsHaveNoSource) {
  write_atomically(scratch_ / "texts", "a b\tc\n\nd e f\ng\n");
  write_atomically(scratch_ / "valid", "a b\n");
  DataPlan plan;
  apply(plan, parse_json(R"({"source": "none", "train": ["$HEED_DATA/texts"], "skip": ["empty"],
                            "valid": ["$HEED_DATA/valid"], "target_tokens": "words",
                            "min_source": 9, "max_ratio": 1.5, "min_target": 2})",
                         "test"));
  const Corpora corpora = plan.load(folders());
  EXPECT_EQ(corpora.train.size(), 2);  // one line is empty, one too short; sources are not counted
  EXPECT_EQ(corpora.train.target_length(0), 3);  // a tab is a blank like others
  EXPECT_EQ(corpora.valid.text(0).source, "");
  EXPECT_EQ(corpora.valid.text(0).target, "a b");
  EXPECT_EQ(plan.load(corpora.train.fields(), folders()).train.hash(), corpora.train.hash());
  apply(plan, parse_json(R"({"columns": [2], "skip": ["columns"], "min_target": 0})", "test"));
  apply(plan, parse_json(R"({"valid_columns": [1]})", "test"));
  EXPECT_EQ(plan.load(folders()).train.size(), 1);
  const Failure both = failure_of(
      R"({"source": "none", "train": ["$HEED_DATA/lines.src"], "train_target": ["$HEED_DATA/lines.trg"],
          "valid": ["$HEED_DATA/valid"]})");
  EXPECT_THAT(both.what, HasSubstr("the rows have no source"));
  EXPECT_THAT(failure_of(R"({"source": "none", "train": ["$HEED_DATA/texts"],
                            "valid": ["$HEED_DATA/valid"]})")
                  .what,
              HasSubstr("the target is empty; complete or remove the line"));
}

TEST(DataPlan, OfATaskWithoutItsSourceHasTheTargetsAlone) {
  DataPlan plan;
  apply(plan, parse_json(R"({"synth": "dates", "source": "none", "train_examples": 30})", "test"));
  const Corpora corpora = plan.load();
  EXPECT_EQ(corpora.train.target_length(0), 10);
  EXPECT_EQ(corpora.valid.text(3).source, "");
  EXPECT_FALSE(corpora.train.fields().source->has_vocabulary());
}

TEST(DataPlan, RefusesFieldsThatDoNotFit) {
  const Failure task = failure_of(R"({"synth": "signals"})");
  EXPECT_THAT(task.what, HasSubstr("data.source: is text, but the task \""));
  EXPECT_EQ(task.fault, Fault::usage);
  const Failure width = failure_of(R"({"synth": "signals", "source": "features"})");
  EXPECT_THAT(
      width.what,
      HasSubstr("data.source.width: is 0; set it to how many numbers a row of the features has"));
  const Failure cut =
      failure_of(R"({"synth": "reverse", "target": {"kind": "text", "first_tokens": 9}})");
  EXPECT_THAT(cut.what,
              HasSubstr("data.target: whole, first_tokens, plain_quotes and lower_capitals "
                        "say how a source is read"));
  const Failure target = failure_of(R"({"synth": "reverse", "target": "features"})");
  EXPECT_THAT(target.what, HasSubstr("data.target: features has no tokens, and a decoder writes "
                                     "tokens; choose a field that has, such as text"));
}

TEST_F(Files, OrATaskButNotBoth) {
  const Failure both = failure_of(
      R"({"synth": "reverse", "train": "$HEED_DATA/train.tsv", "valid": "$HEED_DATA/valid.tsv"})");
  EXPECT_THAT(both.what, HasSubstr("the task \"reverse\" and files exclude each other; leave out "
                                   "`synth` (--set data.synth=) or the files"));
  EXPECT_EQ(both.fault, Fault::usage);
  const Failure untested = failure_of(R"({"train": "$HEED_DATA/train.tsv"})");
  EXPECT_THAT(
      untested.what,
      HasSubstr("data: there is no validation data; set valid = \"FILE\", or hold_out = 500 "
                "to take the last rows of train"));
  const Failure neither = failure_of(R"({"valid": "$HEED_DATA/valid.tsv"})");
  EXPECT_THAT(neither.what, HasSubstr("there is nothing to learn from; name a task (`synth`), or "
                                      "the files `train` and `valid`"));
  EXPECT_EQ(neither.fault, Fault::usage);
}

TEST_F(Files, OfSeveralColumnsHoldReferences) {
  write_atomically(scratch_ / "dev.tsv", "1\ta b\tb a\tc\t\n2\tc\td\td d\te e\n3\ta b\tx\t\t\n");
  const std::string settings = R"({"train": "$HEED_DATA/train.tsv", "valid": "$HEED_DATA/dev.tsv",
    "valid_columns": [2, 3, 4, 5], "source_tokens": "words", "target_tokens": "words")";
  const Corpora apart = loaded(settings + "}");
  EXPECT_EQ(apart.train.size(), 2);
  EXPECT_EQ(apart.valid.size(), 6);
  ASSERT_EQ(apart.valid.rows().size(), 3U);
  EXPECT_THAT(apart.valid.rows()[0].targets, ElementsAre("b a", "c"));
  EXPECT_THAT(apart.valid.rows()[1].targets, ElementsAre("d", "d d", "e e"));
  const Corpora grouped = loaded(settings + R"(, "group_references": true})");
  ASSERT_EQ(grouped.valid.rows().size(), 2U);
  EXPECT_THAT(grouped.valid.rows()[0].targets, ElementsAre("b a", "c", "x"));
  EXPECT_EQ(grouped.valid.size(), 6);
}

TEST_F(Files, OfSeveralTargetsAreReferencesAndPairs) {
  write_atomically(scratch_ / "more.trg", "a b\nc c\n");
  const Corpora corpora = loaded(R"({
    "train": ["$HEED_DATA/lines.src", "$HEED_DATA/lines.trg"],
    "train_target": ["$HEED_DATA/lines.trg", "$HEED_DATA/lines.src"],
    "valid": "$HEED_DATA/lines.src",
    "valid_target": ["$HEED_DATA/lines.trg", "$HEED_DATA/more.trg"]})");
  EXPECT_EQ(corpora.train.size(), 4);
  ASSERT_EQ(corpora.valid.rows().size(), 2U);
  EXPECT_THAT(corpora.valid.rows()[1].targets, ElementsAre("c", "c c"));
}

TEST_F(Files, WithFaultsAreRefusedOrSkipWhatTheRecipeSays) {
  write_atomically(scratch_ / "bad.tsv",
                   "a b\tb a\n\tx\nonly one\nx\xFF\ty\nc d\td c\na b c d e f\tx\nab\tababab\n" +
                       std::string(2000, 'z') + "\tz\n");
  const std::string settings = R"({"train": "$HEED_DATA/bad.tsv", "valid": "$HEED_DATA/valid.tsv",
    "source_tokens": "words", "target_tokens": "characters", "max_line_bytes": 1000,
    "max_source": 5, "max_ratio": 4)";
  const Failure empty = failure_of(settings + "}");
  EXPECT_THAT(empty.what, HasSubstr("bad.tsv:2: the source is empty; complete or "
                                    "remove the line, or list \"empty\" in data.skip"));
  EXPECT_EQ(empty.fault, Fault::file);
  EXPECT_THAT(failure_of(settings + R"(, "skip": ["empty"]})").what,
              HasSubstr("bad.tsv:3: there is 1 column"));
  EXPECT_THAT(failure_of(settings + R"(, "skip": ["empty", "columns"]})").what,
              HasSubstr("bad.tsv:4: byte 0xFF at position 1"));
  EXPECT_THAT(failure_of(settings + R"(, "skip": ["empty", "columns", "encoding"]})").what,
              HasSubstr("bad.tsv:8: the line is longer than 1000 bytes; is it text?"));
  const Corpora corpora =
      loaded(settings + R"(, "skip": ["empty", "columns", "encoding", "long"]})");
  EXPECT_EQ(corpora.train.size(), 2);
  const std::string path = scratch_ / "bad.tsv";
  EXPECT_EQ(corpora.train.left_out().sentence(),
            "1 with an empty side (" + path + ":2), 1 with other columns (" + path +
                ":3), 1 not UTF-8 (" + path + ":4), 1 of too many bytes (" + path +
                ":8), 1 beyond max_source, 1 beyond max_ratio");
}

TEST_F(Files, StandardInputIsOne) {
  const Failure twice = failure_of(R"({"train": "-", "valid": "-"})");
  EXPECT_EQ(twice.what,
            "data: \"-\" is named 2 times, but standard input can be read only once; name files "
            "for the others");
  EXPECT_EQ(twice.fault, Fault::usage);
  EXPECT_THAT(failure_of(R"({"train": ["a", "b"], "train_target": "c", "valid": "d"})").what,
              HasSubstr("2 source files and 1 target files do not go together; give as many of "
                        "each, or several target files (references) for one source file"));
}

TEST_F(Files, LimitsActAlone) {
  const std::string settings = R"({"train": "$HEED_DATA/train.tsv", "valid": "$HEED_DATA/lines.src",
    "valid_target": "$HEED_DATA/lines.trg", "source_tokens": "words", "target_tokens": "words")";
  EXPECT_EQ(loaded(settings + "}").train.size(), 2);
  for (const char* more : {R"("min_source": 3)", R"("min_target": 3)"}) {
    EXPECT_THAT(failure_of(settings + ", " + more + "}").what,
                HasSubstr("there are 1 training and 0 validation pairs, but there must be some of "
                          "both; left out: 3 below min_"));
  }
  EXPECT_LT(
      loaded(settings + R"(, "vocabulary_sample": 1})").train.fields().source->vocabulary().size(),
      3U + 5);
}

TEST_F(Files, LargerThanMemoryAreTheSame) {
  std::string pairs;
  for (int i = 0; i < 30000; ++i) {
    pairs += "number " + std::to_string(i) + "\t" + std::to_string(i * 7) + "\n";
  }
  write_atomically(scratch_ / "large.tsv", pairs);
  const std::string settings =
      R"({"train": "$HEED_DATA/large.tsv", "valid": "$HEED_DATA/valid.tsv")";
  const Corpora in_memory = loaded(settings + "}");
  Corpora on_disk = loaded(settings + R"(, "memory_mb": 1})", scratch_ / "run");
  EXPECT_TRUE(on_disk.train.is_on_disk());
  EXPECT_EQ(on_disk.train.hash(), in_memory.train.hash());
  EXPECT_EQ(on_disk.train.fields().target->vocabulary().to_bytes(),
            in_memory.train.fields().target->vocabulary().to_bytes());
  EXPECT_EQ(in_memory.train.window(), 30000);
  EXPECT_LT(on_disk.train.window(), 10000);
  EXPECT_TRUE(list_directory(scratch_ / "run").empty());
}

TEST_F(Files, ThatHoldNothingAreRefused) {
  const Failure empty =
      failure_of(R"({"train": "$HEED_DATA/train.tsv", "valid": "$HEED_DATA/empty.tsv"})");
  EXPECT_THAT(
      empty.what,
      HasSubstr("there are 2 training and 0 validation pairs, but there must be some of both"));
  EXPECT_EQ(empty.fault, Fault::file);
  const Failure absent =
      failure_of(R"({"train": "$HEED_DATA/train.tsv", "valid": "$HEED_DATA/absent.tsv"})");
  EXPECT_THAT(absent.what, HasSubstr("absent.tsv: cannot open"));
  EXPECT_EQ(absent.fault, Fault::file);
}

}  // namespace
}  // namespace heed::data_plan_test
