// Every objective, every policy that feeds a decoder and every decoder goes on exactly: a run that is
// stopped and resumed ends with the bytes of one that was not. So does whatever else a method keeps or
// draws. An entry of a catalogue without a way to train it here fails.
#include <gtest/gtest.h>

#include <map>

#include "heed/base/atomic_file.h"
#include "heed/model/decoders.h"
#include "heed/train/feed_policies.h"
#include "heed/train/objectives.h"
#include "tests/base/scratch_directory.h"
#include "tests/train/small_run.h"

namespace heed::test::every_resume_test {
namespace {

struct Way {
  std::string training;
  std::string model = "{}";
};
using Ways = std::map<std::string, std::vector<Way>>;

const std::string hard =
    R"({"decoder": {"attention": {"normaliser": {"kind": "hard", "mix": 0.3}}}})";
const std::string filling =
    R"({"decoder": {"kind": "mask_predict", "width": 8, "dropout": 0.1}, "embedding": 8})";

/// By decoder.
const Ways& decoder_ways() {
  static const Ways all = {
      {"fixed", {{"{}", R"({"decoder": {"kind": "fixed", "width": 6, "embedding": 6}})"}}},
      {"attend_first", {{"{}"}}},
      {"attend_after", {{"{}", R"({"decoder": {"kind": "attend_after", "width": 6, "embedding": 6,
                   "output_dropout": 0.2}})"}}},
      {"transformer",
       {{"{}", R"({"decoder": {"kind": "transformer", "width": 8, "dropout": 0.1}})"}}},
      {"labels", {{"{}", R"({"decoder": {"kind": "labels", "dropout": 0.2}})"}}},
      {"sequence_label", {{"{}", R"({"decoder": {"kind": "sequence_label"}})"}}},
      {"mask_predict",
       {{R"({"objectives": ["teacher_forcing", {"kind": "lengths", "weight": 0.1}]})", filling},
        {"{}", R"({"decoder": {"kind": "mask_predict", "width": 8, "length_from": "end",
                   "length_range": 2}, "embedding": 8})"}}},
      {"ctc",
       {{R"({"objectives": "ctc"})", R"({"decoder": {"kind": "ctc", "upsample": 3}})"},
        {R"({"objectives": "ctc"})",
         R"({"decoder": {"kind": "ctc", "upsample": 3,
                         "blocks": {"depth": 1, "width": 8, "dropout": 0.1}}})"}}},
  };
  return all;
}

/// By objective; those that also keep something of their own have a schedule. {links} is a file.
const Ways& objective_ways() {
  static const auto beside = [](const std::string& objective, const std::string& model = "{}") {
    return std::vector<Way>{{R"({"objectives": ["teacher_forcing", )" + objective + "]}", model}};
  };
  static const Ways all = {
      {"teacher_forcing",
       {{R"({"objectives": {"kind": "teacher_forcing", "schedule": "cosine"}})"}}},
      {"doubly_stochastic", beside(R"({"kind": "doubly_stochastic", "schedule": "linear"})")},
      {"diagonal", beside(R"({"kind": "diagonal", "schedule": "exponential"})")},
      {"left_to_right", beside(R"({"kind": "left_to_right", "schedule": "inverse_sigmoid"})")},
      {"alignment", beside(R"({"kind": "alignment", "links": "{links}", "schedule": "linear"})")},
      {"lengths", beside(R"({"kind": "lengths", "schedule": "linear"})", filling)},
      {"reinforce",
       beside(R"({"kind": "reinforce", "entropy": 0.01, "schedule": "linear"})", hard)},
      {"marginal",
       {{R"({"objectives": "marginal"})",
         R"({"decoder": {"kind": "attend_after", "input_feeding": false, "width": 6,
             "attention": {"normaliser": "hard"}}})"}}},
      {"self_critical",
       {{R"({"objectives": {"kind": "self_critical", "metric": "exact_match"}})"},
        {R"({"objectives": {"kind": "self_critical", "metric": "cider_d", "samples": 3,
                            "baseline": "others"}})"}}},
      {"minimum_risk",
       {{R"({"objectives": {"kind": "minimum_risk", "metric": "chrf", "samples": 4}})"},
        {R"({"objectives": {"kind": "minimum_risk", "metric": "cer", "from": "beam"}})",
         R"({"decoder": {"kind": "transformer", "width": 8}})"}}},
      {"ctc",
       {{R"({"objectives": ["teacher_forcing", {"kind": "ctc", "decoder": "frames",
                            "schedule": "linear"}]})",
         R"({"decoders": {"frames": {"kind": "ctc", "upsample": 2, "dropout": 0.1}}})"}}},
  };
  return all;
}

/// By policy, in a recurrent decoder and in a Transformer.
const Ways& feed_ways() {
  static const std::string across = R"({"decoder": {"kind": "transformer", "width": 8}})";
  static const std::string sampling =
      R"({"feed": {"kind": "scheduled_sampling", "last": 0.8, "schedule": "inverse_sigmoid"}})";
  static const std::string random =
      R"({"feed": {"kind": "random_words", "rate": 0.3, "schedule": "linear"}})";
  static const Ways all = {{"right_words", {{R"({"feed": "right_words"})"}}},
                           {"random_words", {{random}, {random, across}}},
                           {"scheduled_sampling", {{sampling}, {sampling, across}}}};
  return all;
}

/// What else draws or keeps something. {given} is a file with a matrix of 6 × 6.
const Ways& other_ways() {
  static const auto attention = [](const std::string& settings) {
    return std::vector<Way>{{"{}", R"({"decoder": {"attention": )" + settings + "}}"}};
  };
  static const Ways all = {
      {"curriculum", {{R"({"curriculum": {"steps": 5, "from": 0.2}, "batch_sentences": 16})"}}},
      {"gumbel", attention(R"({"normaliser": "gumbel"})")},
      {"local_p", attention(R"({"focus": {"kind": "local_p", "D": 1}})")},
      {"frozen_W", attention(R"({"score": {"kind": "bilinear", "frozen": true}})")},
      {"given_W", attention(R"({"score": {"kind": "bilinear", "given": "{given}"}})")},
      {"given_and_frozen_W",
       attention(R"({"score": {"kind": "bilinear", "given": "{given}", "frozen": true}})")},
  };
  return all;
}

std::string filled(std::string text, const std::string& mark, const std::string& path) {
  const size_t at = text.find(mark);
  return at == std::string::npos ? text : text.replace(at, mark.size(), path);
}

/// Runs 6 steps at once, and 3 and 3; both must end the same.
void expect_same_end(const Way& way) {
  const ScratchDirectory scratch;
  std::string links;
  for (const Example& one : backwards(0, 80)) {
    links += one.source + "\t" + one.target + "\t0-0\n";
  }
  write_atomically(scratch / "links", links);
  std::string given;
  for (int row = 0; row < 6; ++row) {
    given += fmt::format("{} 0.5 0 -0.25 1 {}\n", row * 0.1, 1 - row * 0.2);
  }
  write_atomically(scratch / "given", given);
  Json training = parse_json(
      R"({"steps": 6, "validate_every": 2, "log_every": 1, "save_every": 2, "keep": 9})", "test");
  const Json more = parse_json(filled(way.training, "{links}", scratch / "links"), "test");
  for (const Json::Member& member : *more.get<Json::Object>()) {
    training.set(member.key, member.value);
  }
  const std::string model = filled(way.model, "{given}", scratch / "given");
  SCOPED_TRACE(way.training + " " + way.model);
  const auto made = [&] {
    auto run = std::make_unique<SmallRun>(training.write(), model);
    if (model.find("sequence_label") != std::string::npos) {
      const auto of_first = [](std::vector<Example> examples) {
        for (Example& one : examples) {
          one.target = one.target.substr(0, 1);
        }
        return examples;
      };
      run->train = Corpus(of_first(backwards(0, 80)), run->fields);
      run->valid = Corpus(of_first(backwards(80, 20)), run->fields);
    }
    return run;
  };
  const auto whole = made();
  const TrainReport expected = whole->run(scratch / "whole");
  ASSERT_EQ(expected.state.step, 6);
  const auto first = made();
  stop_after(*first, 3);
  ASSERT_EQ(first->run(scratch / "cut").ending, Ending::interrupted);
  const auto second = made();
  poison(*second, 0.25);
  EXPECT_EQ(second->run(scratch / "cut").state, expected.state);
  EXPECT_EQ(metrics_of(scratch / "cut"), metrics_of(scratch / "whole"));
  for (const char* name : {"/model.safetensors", "/checkpoints/step-00000006.safetensors"}) {
    EXPECT_EQ(read_file(scratch.path() + "/cut" + name),
              read_file(scratch.path() + "/whole" + name))
        << name;
  }
}

template <class Part>
void expect_all(const Catalogue<Part>& catalogue, const Ways& ways) {
  for (const auto& entry : catalogue) {
    SCOPED_TRACE(entry.name);
    const auto found = ways.find(entry.name);
    if (found == ways.end()) {
      ADD_FAILURE() << "say here how it is trained";
      continue;
    }
    for (const Way& way : found->second) {
      expect_same_end(way);
    }
  }
}

TEST(EveryResume, OfADecoderIsExact) { expect_all(decoders(), decoder_ways()); }
TEST(EveryResume, OfAnObjectiveIsExact) { expect_all(objectives(), objective_ways()); }
TEST(EveryResume, OfAFeedIsExact) { expect_all(feed_policies(), feed_ways()); }
TEST(EveryResume, OfWhateverElseDrawsIsExact) {
  for (const auto& [name, ways] : other_ways()) {
    SCOPED_TRACE(name);
    expect_same_end(ways.front());
  }
}

}  // namespace
}  // namespace heed::test::every_resume_test
