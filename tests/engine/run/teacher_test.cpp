// Distillation: the targets of the training data become what a teacher says, which is kept beside the run.
#include "heed/engine/run/teacher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "heed/base/atomic_file.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/data/synths.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/run/recipe.h"
#include "heed/engine/shelf/place.h"
#include "tests/base/scratch_directory.h"

namespace heed::teacher_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* tiny = R"({
  "data": {"synth": "trends", "train_examples": 40, "valid_examples": 6, "source_tokens": "words",
           "target_tokens": "words"},
  "model": {"embedding": 4, "encoder": {"kind": "bag"},
            "decoder": {"kind": "attend_first", "width": 5, "embedding": 4}},
  "training": {"steps": 3, "batch_sentences": 8, "validate_every": 2, "samples": 0}})";

struct Student {
  explicit Student(const std::string& changes) {
    apply(recipe, parse_json(tiny, "test"));
    apply(recipe, parse_json(changes, "test"));
  }
  TrainReport run(const std::string& folder) {
    RecipeRun run{.folder = folder, .place = place_on("reference"), .name = "tiny"};
    run.hooks.say = [this](const std::string& line) { said += line + "\n"; };
    run.hooks.interrupt = interrupt;
    return train(recipe, run);
  }
  Recipe recipe;
  std::string said;
  std::function<int()> interrupt = [] { return 0; };
};

class TeacherTest : public ::testing::Test {
 protected:
  /// A teacher that says something, though not always the right thing.
  void SetUp() override {
    Student(R"({"training": {"steps": 60, "optimiser": {"learning_rate": 0.03}}})")
        .run(scratch_ / "teacher");
  }
  std::string taught(const std::string& more = "") const {
    return R"({"teacher": {"model": ")" + scratch_.path() +
           R"(/teacher/model.safetensors", "batch": 1)" + more + "}}";
  }
  /// The files of the teacher's outputs in a run's folder.
  std::vector<std::string> kept(const std::string& run) const {
    std::vector<std::string> found;
    for (const auto& file : std::filesystem::directory_iterator(scratch_ / run)) {
      if (file.path().filename().string().starts_with("teacher-")) {
        found.push_back(file.path().string());
      }
    }
    return found;
  }
  /// What the teacher says for the training sources, one a line.
  std::string expected(const SearchOptions& search) const {
    AnswerOptions how;
    how.search = search;
    const TrainedModel teacher =
        load_model(scratch_ / "teacher/model.safetensors", place_on("reference"));
    std::vector<std::string> sources;
    const auto synth = synths().make("trends");
    for (uint64_t i = 0; i < 40; ++i) {
      sources.push_back(synth->make(1, i).source);
    }
    std::string lines;
    for (const std::string& line : answer_texts(teacher, sources, how)) {
      lines += line + "\n";
    }
    return lines;
  }
  ScratchDirectory scratch_;
};

TEST_F(TeacherTest, ItsOutputsReplaceTheTargets) {
  Student student(taught());
  EXPECT_EQ(student.run(scratch_ / "student").ending, Ending::finished);
  EXPECT_THAT(student.said, HasSubstr("answers 40 sources"));
  ASSERT_THAT(kept("student"), SizeIs(1));
  SearchOptions beam;
  beam.beam = 5;
  EXPECT_EQ(read_file(kept("student").front()), expected(beam));
  const TrainedModel trained =
      load_model(scratch_ / "student/model.safetensors", place_on("reference"));
  EXPECT_THAT(trained.about.at("teacher"), HasSubstr("teacher/model.safetensors"));
  // The run trained on them: with the same pairs from a file, the weights are the same.
  std::string pairs;
  const std::string outputs = read_file(kept("student").front());
  const auto synth = synths().make("trends");
  size_t first = 0;
  for (uint64_t i = 0; i < 40; ++i) {
    const size_t end = outputs.find('\n', first);
    const std::string line = outputs.substr(first, end - first);
    pairs += line.empty() ? "" : synth->make(1, i).source + "\t" + line + "\n";
    first = end + 1;
  }
  std::string valid;
  for (uint64_t i = 0; i < 6; ++i) {
    const Example example = synth->make(1, i, Split::valid);
    valid += example.source + "\t" + example.target + "\n";
  }
  write_atomically(scratch_ / "pairs.tsv", pairs);
  write_atomically(scratch_ / "valid.tsv", valid);
  Student plain(R"({"data": {"synth": "", "train": ")" + scratch_.path() +
                R"(/pairs.tsv", "valid": ")" + scratch_.path() + R"(/valid.tsv"}})");
  plain.run(scratch_ / "plain");
  TrainedModel other = load_model(scratch_ / "plain/model.safetensors", place_on("reference"));
  const auto values = [](Model& model) {
    std::vector<std::vector<float>> all;
    for (const NamedParameter& one : distinct_parameters_of(model)) {
      all.push_back(one.tensor->values<float>());
    }
    return all;
  };
  EXPECT_EQ(values(*trained.model), values(*other.model));
}

TEST_F(TeacherTest, PairsMayStayBesideThem) {
  Student student(taught(R"(, "keep_pairs": true, "search": {"beam": 1})"));
  student.run(scratch_ / "student");
  const std::string said = read_file(kept("student").front());
  EXPECT_EQ(said, expected({}));
  size_t empty = said.starts_with('\n') ? 1 : 0;
  for (size_t at = said.find("\n\n"); at != std::string::npos; at = said.find("\n\n", at + 1)) {
    ++empty;
  }
  EXPECT_LT(empty, 40U);
  EXPECT_THAT(student.said, HasSubstr(fmt::format("{} training and 6 validation", 80 - empty)));
}

TEST_F(TeacherTest, AnInterruptedRunContinuesExactly) {
  Student whole(taught());
  whole.run(scratch_ / "whole");
  Student first(taught());
  auto asked = std::make_shared<int>(0);
  first.interrupt = [asked] { return ++*asked > 1 ? 130 : 0; };  // after 16 sources
  const TrainReport report = first.run(scratch_ / "cut");
  EXPECT_EQ(report.ending, Ending::interrupted);
  EXPECT_EQ(report.exit_code, 130);
  ASSERT_THAT(kept("cut"), SizeIs(1));
  const std::string all = read_file(kept("whole").front());
  std::string some = read_file(kept("cut").front());
  EXPECT_TRUE(all.starts_with(some));
  EXPECT_EQ(std::count(some.begin(), some.end(), '\n'), 16);
  // Killed while it wrote: the last line has no end.
  std::filesystem::resize_file(kept("cut").front(), some.size() - 2);
  Student second(taught());
  EXPECT_EQ(second.run(scratch_ / "cut").ending, Ending::finished);
  EXPECT_THAT(second.said, HasSubstr("15 are answered"));
  EXPECT_EQ(read_file(kept("cut").front()), all);
  EXPECT_EQ(read_file(scratch_ / "cut/model.safetensors"),
            read_file(scratch_ / "whole/model.safetensors"));
  // Finished: nothing is answered again.
  Student third(taught());
  third.run(scratch_ / "cut");
  EXPECT_THAT(third.said, HasSubstr("the teacher's outputs are in"));
}

TEST_F(TeacherTest, AnotherSearchHasAnotherFile) {
  Student(taught()).run(scratch_ / "one");
  Student greedy(taught(R"(, "search": {"beam": 1})"));
  EXPECT_THROW(greedy.run(scratch_ / "one"), Error);  // a run keeps its data's settings
  EXPECT_THAT(kept("one"), SizeIs(2));
  Student same(taught());
  same.run(scratch_ / "two");
  std::vector<std::string> names;
  for (const std::string& path : kept("two")) {
    names.push_back(std::filesystem::path(path).filename());
  }
  EXPECT_THAT(names, SizeIs(1));
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "one/" + names.front()));
}

TEST_F(TeacherTest, MustReadWhatTheStudentReads) {
  Student frames(taught());
  apply(frames.recipe, parse_json(R"({"data": {"synth": "signals", "source": {"kind": "features",
    "width": 8}}, "model": {"front": "frames"}})",
                                  "test"));
  try {
    frames.run(scratch_ / "frames");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("reads text, but the data's sources are features"));
  }
  Student missing(R"({"teacher": {"model": "nowhere"}})");
  EXPECT_THROW(missing.run(scratch_ / "missing"), Error);
}

}  // namespace
}  // namespace heed::teacher_test
