#include "heed/engine/data_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "heed/base/atomic_file.h"
#include "heed/base/json.h"
#include "heed/nn/settings.h"
#include "tests/base/scratch_directory.h"

namespace heed {
namespace {

using ::testing::HasSubstr;

struct Failure {
  std::string what;
  Fault fault = Fault::runtime;
};

Failure failure_of(const std::string& settings) {
  DataPlan plan;
  apply(plan, parse_json(settings, "test"));
  try {
    plan.load();
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
  EXPECT_EQ(corpora.vocabularies.source->tokeniser().name(), "characters");
  // Vocabularies that exist are used as they are.
  EXPECT_EQ(plan.load(corpora.vocabularies).train.hash(), corpora.train.hash());
}

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    write_atomically(scratch_ / "train.tsv", "a b\tb a\nc d e\te d c\n\tx\n");
    write_atomically(scratch_ / "valid.tsv", "b a\ta b\n");
    write_atomically(scratch_ / "lines.src", "a b\nc\n");
    write_atomically(scratch_ / "lines.trg", "b a\nc\n");
    write_atomically(scratch_ / "empty.tsv", "");
    ::setenv("HEED_DATA", scratch_.path().c_str(), 1);
  }
  void TearDown() override { ::unsetenv("HEED_DATA"); }

  ScratchDirectory scratch_;
};

TEST_F(Files, AreReadAsPairsOrLines) {
  DataPlan plan;
  apply(plan, parse_json(R"({"train": "$HEED_DATA/train.tsv", "valid": "$HEED_DATA/lines.src",
    "valid_target": "$HEED_DATA/lines.trg", "source_tokens": "words", "target_tokens": "words",
    "share_vocabulary": true, "max_source": 2})",
                         "test"));
  const Corpora corpora = plan.load();
  EXPECT_EQ(corpora.train.size(), 1);
  EXPECT_EQ(corpora.train.dropped(), 2);  // one too long, one without a source
  EXPECT_EQ(corpora.valid.size(), 2);
  EXPECT_EQ(corpora.vocabularies.source, corpora.vocabularies.target);
}

TEST_F(Files, SubwordsAreLearntAsAsked) {
  std::string pairs = "once z Ａ\tonce z\n";
  for (int i = 0; i < 30; ++i) {
    pairs += "a big house\tthe house is big\n";
  }
  write_atomically(scratch_ / "subwords.tsv", pairs);
  const auto learnt = [](const std::string& more) {
    DataPlan plan;
    apply(plan, parse_json(R"({"train": "$HEED_DATA/subwords.tsv", "valid": "$HEED_DATA/lines.src",
      "valid_target": "$HEED_DATA/lines.trg", "source_tokens": "bpe", "target_tokens": "bpe")" +
                               more + "}",
                           "test"));
    return plan.load();
  };
  const Corpora plain = learnt("");
  EXPECT_EQ(plain.vocabularies.source->tokeniser().name(), "bpe");
  EXPECT_EQ(learnt("").vocabularies.source->to_bytes(), plain.vocabularies.source->to_bytes());
  EXPECT_EQ(plain.vocabularies.source->encode("ü").size(), 3U);  // a blank and two bytes
  const Corpora shared = learnt(R"(, "share_vocabulary": true)");
  EXPECT_EQ(shared.vocabularies.source, shared.vocabularies.target);
  for (const char* more : {R"(, "byte_fallback": false)", R"(, "character_coverage": 0.98)",
                           R"(, "normalise": "nfkc")", R"(, "source_vocabulary": 275)"}) {
    EXPECT_NE(learnt(more).vocabularies.source->to_bytes(), plain.vocabularies.source->to_bytes())
        << more;
  }
}

TEST_F(Files, OrATaskButNotBoth) {
  const Failure both = failure_of(
      R"({"synth": "reverse", "train": "$HEED_DATA/train.tsv", "valid": "$HEED_DATA/valid.tsv"})");
  EXPECT_THAT(both.what, HasSubstr("saw the task \"reverse\" and files"));
  EXPECT_EQ(both.fault, Fault::usage);
  const Failure neither = failure_of(R"({"train": "$HEED_DATA/train.tsv"})");
  EXPECT_THAT(neither.what, HasSubstr("saw neither `synth` nor both `train` and `valid`"));
  EXPECT_EQ(neither.fault, Fault::usage);
}

TEST_F(Files, ThatHoldNothingAreRefused) {
  const Failure empty =
      failure_of(R"({"train": "$HEED_DATA/train.tsv", "valid": "$HEED_DATA/empty.tsv"})");
  EXPECT_THAT(empty.what, HasSubstr("saw 2 training and 0 validation pairs"));
  EXPECT_EQ(empty.fault, Fault::file);
  const Failure absent =
      failure_of(R"({"train": "$HEED_DATA/train.tsv", "valid": "$HEED_DATA/absent.tsv"})");
  EXPECT_THAT(absent.what, HasSubstr("absent.tsv: cannot open"));
  EXPECT_EQ(absent.fault, Fault::file);
}

}  // namespace
}  // namespace heed
