// alignment: attention is taught by given word alignments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/atomic_file.h"
#include "heed/train/objective/token_links.h"
#include "heed/train/objectives.h"
#include "tests/base/scratch_directory.h"
#include "tests/nn/leaves.h"
#include "tests/support/directional.h"
#include "tests/train/small_run.h"

namespace heed::test::alignment_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const Place exact{&forced("reference"), DType::f64};

/// Every pair of the small run with its links: word i of the target is word n − 1 − i of the source.
std::string backward_links(int count) {
  std::string lines;
  for (const Example& pair : backwards(0, count)) {
    const size_t words = (pair.source.size() + 1) / 2;
    std::string links;
    for (size_t i = 0; i < words; ++i) {
      links += fmt::format("{}{}-{}", i == 0 ? "" : " ", words - 1 - i, i);
    }
    lines += pair.source + "\t" + pair.target + "\t" + links + "\n";
  }
  return lines;
}

std::string objectives_with(const std::string& path, const std::string& more = "") {
  return fmt::format(R"(["teacher_forcing", {{"kind": "alignment", "links": "{}"{}}}])", path,
                     more);
}

TEST(TokenLinks, AreFoundByTheirPair) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "links", "a b\tb a\t0-1 1-0\nb c d\td\t0-0 2-0\na\tb\t\n");
  const SmallRun run;
  const TokenLinks links(scratch / "links", run.fields);
  const auto ids = [&](const char* text) { return run.fields.source->vocabulary().encode(text); };
  const auto target = [&](const char* text) {
    return run.fields.target->vocabulary().encode(text);
  };
  ASSERT_NE(links.find(ids("a b"), target("b a")), nullptr);
  EXPECT_THAT(*links.find(ids("a b"), target("b a")), ElementsAre(Pair(0, 1), Pair(1, 0)));
  EXPECT_THAT(*links.find(ids("b c d"), target("d")), ElementsAre(Pair(0, 0), Pair(0, 2)));
  EXPECT_THAT(*links.find(ids("a"), target("b")), ElementsAre());
  EXPECT_EQ(links.find(ids("a"), target("b b")), nullptr);
  EXPECT_EQ(links.find(ids("a b b"), target("a")), nullptr);  // the same ids, divided elsewhere
}

TEST(TokenLinks, OfWordsLinkAllTheirPieces) {
  const ScratchDirectory scratch;
  std::vector<Example> examples;
  for (int i = 0; i < 60; ++i) {
    examples.push_back({"the house stands here", "das haus steht hier"});
  }
  const Fields fields = learn_fields(examples, {.source = "bpe",
                                                .target = "bpe",
                                                .max_source = 24,
                                                .max_target = 24,
                                                .byte_fallback = false});
  write_atomically(scratch / "links", "the house\tdas haus\t1-1\n");
  const TokenLinks links(scratch / "links", fields);
  const auto* found = links.find(fields.source->vocabulary().encode("the house"),
                                 fields.target->vocabulary().encode("das haus"));
  ASSERT_NE(found, nullptr);
  const auto first_of = [](const Vocabulary& vocabulary, const char* before) {
    return static_cast<int32_t>(vocabulary.encode(before).size());
  };
  const int32_t i = first_of(fields.target->vocabulary(), "das");
  const int32_t j = first_of(fields.source->vocabulary(), "the");
  const auto pieces = static_cast<size_t>(first_of(fields.source->vocabulary(), "the house") - j) *
                      static_cast<size_t>(first_of(fields.target->vocabulary(), "das haus") - i);
  EXPECT_GT(pieces, 1U);
  EXPECT_EQ(found->size(), pieces);
  for (const auto& [target, source] : *found) {
    EXPECT_GE(target, i);
    EXPECT_GE(source, j);
  }
}

/// Three pairs of two words, the middle one without links; each linked token costs −ln of its
/// weights' mean.
TEST(Alignment, IsTheCrossEntropyOfTheWeights) {
  const ScratchDirectory scratch;
  SmallRun run("{}", "{}", exact);
  const std::vector<Example> pairs = backwards(0, 4);  // of 2, 3, 3 and 2 words
  write_atomically(scratch / "links", pairs[0].source + "\t" + pairs[0].target + "\t0-1 1-0 0-0\n" +
                                          pairs[3].source + "\t" + pairs[3].target + "\t1-1\n");
  auto objective = make_part(objectives(), "alignment");
  apply(*objective, parse_json(fmt::format(R"({{"links": "{}"}})", scratch / "links"), "test"));
  objective->attach(*run.trained.model);
  objective->see(run.train);
  const Batch batch = run.batch(4);
  Pass pass = Pass::serving();
  const Decoded decoded = run.trained.model->teach(batch, {.weights = true}, pass);
  const std::vector<double> weights = decoded.reports.front().weights.values();  // [N, 1, 4]
  const auto log_weight = [&](size_t row, size_t slot) {
    return std::log(weights[row * 4 + slot]);
  };
  // Rows: pair 0 has 0 1 2, pairs 1 and 2 have four each, pair 3 begins at 11.
  const double expected =
      (log_weight(0, 0) + log_weight(0, 1)) / 2 + log_weight(1, 0) + log_weight(12, 1);
  EXPECT_NEAR((*objective)({batch, decoded}).item(), -expected / 14, 1e-7);
  EXPECT_NEAR(objective->measures().front().item(), 3.0 / 14, 1e-7);
  const std::vector<Tensor> leaves = leaves_of(*run.trained.model);
  EXPECT_TRUE(gradient_agrees(
      leaves,
      [&] {
        Pass again = Pass::serving();
        return (*objective)({batch, run.trained.model->teach(batch, {.weights = true}, again)});
      },
      3, 1e-6));
}

TEST(Alignment, TeachesWhereToLook) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "links", backward_links(80));
  const auto loss_after = [&](const std::string& name, const std::string& list) {
    SmallRun run(R"({"steps": 100, "validate_every": 0, "objectives": )" + list + "}",
                 R"({"encoder": {"kind": "gru", "width": 8}})");
    run.run(scratch / name);
    apply(run.training,
          parse_json(R"({"objectives": )" + objectives_with(scratch / "links") + "}", "test"));
    run.training.objectives.attach(*run.trained.model);
    run.training.objectives.see(run.train);
    Pass pass = Pass::serving();
    const Batch batch = run.batch(40);
    return run.training.objectives({*run.trained.model, batch, {0, 10, 0}}, pass).each[1].item();
  };
  EXPECT_LT(loss_after("guided", objectives_with(scratch / "links")),
            0.5 * loss_after("plain", R"("teacher_forcing")"));
}

TEST(Alignment, GoesOnExactly) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "links", backward_links(80));
  expect_goes_on_exactly(
      R"({"objectives": )" + objectives_with(scratch / "links", R"(, "schedule": "linear")") + "}",
      "{}");
}

TEST(Alignment, RefusesWhatMakesNoSense) {
  const ScratchDirectory scratch;
  const auto refusal = [&](const std::string& lines, Fault fault) {
    write_atomically(scratch / "links", lines);
    SmallRun run(R"({"objectives": )" + objectives_with(scratch / "links") + "}");
    return failure(fault, [&] { run.run(scratch / "run"); });
  };
  EXPECT_THAT(
      refusal("a b\tb a\n", Fault::file),
      HasSubstr(
          "links:1: there are 2 columns; give source, target and links, with tabs between them"));
  EXPECT_THAT(
      refusal("a b\tb a\t0-1\na\ta\t1-0\n", Fault::file),
      HasSubstr("links:2: a link names source word 1, counted from 0, but there are 1 words"));
  EXPECT_THAT(refusal("a b\tb a\t0:1\n", Fault::file), HasSubstr("\"0:1\" must be links"));
  EXPECT_THAT(refusal("a b c\ta\t0-0\n", Fault::usage), HasSubstr("is in the training data"));
  SmallRun without(R"({"objectives": ["teacher_forcing", "alignment"]})");
  EXPECT_THAT(failure(Fault::usage, [&] { without.run(scratch / "run"); }),
              HasSubstr("alignment has no file of alignments; set links"));
}

TEST(Alignment, ItsFileMayLieInTheFolderOfData) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "links", backward_links(80));
  SmallRun run(R"({"objectives": )" + objectives_with("$HEED_DATA/links") + "}");
  EXPECT_THAT(failure(Fault::file, [&] { run.run(scratch / "unlocated"); }),
              HasSubstr("HEED_DATA"));
  run.training.objectives.locate([&](const std::string& path) {
    EXPECT_EQ(path, "$HEED_DATA/links");
    return scratch / "links";
  });
  EXPECT_EQ(run.run(scratch / "run").ending, Ending::finished);
}

}  // namespace
}  // namespace heed::test::alignment_test
