// Against sacreBLEU, rouge_score, jiwer and NumPy: tests/fixtures/metrics.json, written by
// tools/fixtures/metrics.py.
#include <gtest/gtest.h>

#include "heed/base/file.h"
#include "heed/base/json_reader.h"
#include "heed/metric/evaluation.h"
#include "heed/metric/metrics.h"
#include "heed/metric/pcg64.h"
#include "heed/metric/segment.h"
#include "heed/metric/shifted_edits.h"
#include "heed/metric/tokenisations.h"
#include "heed/text/letter.h"
#include "heed/text/utf8.h"

namespace heed::peers_test {
namespace {

using Texts = std::vector<std::string>;

const JsonReader& fixture() {
  static const Json json =
      parse_json(read_file(HEED_SOURCE_DIR "/tests/fixtures/metrics.json"), "metrics.json");
  static const JsonReader reader(json, "metrics.json");
  return reader;
}

Texts texts(const JsonReader& array) {
  Texts all;
  for (const JsonReader& item : array.items()) {
    all.push_back(item.text());
  }
  return all;
}

/// From streams (all first references, all second ones, …) to the references of each sentence.
std::vector<References> references_of(const JsonReader& streams, std::size_t count) {
  std::vector<References> all(streams.at(0).size());
  for (std::size_t i = 0; i < count; ++i) {
    const Texts stream = texts(streams.at(i));
    for (std::size_t line = 0; line < stream.size(); ++line) {
      all[line].push_back(stream[line]);
    }
  }
  return all;
}

MetricSettings settings_of(const JsonReader& given) {
  const auto flag = [&](std::string_view name) {
    const auto found = given.find(name);
    return found && found->boolean();
  };
  MetricSettings out;
  if (const auto tokenise = given.find("tokenize")) {
    out.tokenise = tokenise->text();
  }
  if (const auto method = given.find("smooth_method")) {
    const std::string& name = method->text();
    out.smoothing = name == "exp"     ? Smoothing::exp
                    : name == "floor" ? Smoothing::floor
                    : name == "add-k" ? Smoothing::add_k
                                      : Smoothing::none;
  }
  if (const auto value = given.find("smooth_value"); value && !value->is_null()) {
    out.smoothing_value = value->number();
  }
  out.is_lowercase = flag("lowercase");
  out.uses_effective_order = flag("effective_order");
  out.is_normalised = flag("normalized");
  out.drops_punctuation = flag("no_punct");
  out.supports_asian = flag("asian_support");
  out.is_case_sensitive = flag("case_sensitive");
  return out;
}

std::unique_ptr<Metric> metric_of(const JsonReader& given) {
  const auto words = given.at("settings").find("word_order");
  const bool counts_words = words && words->integer() > 0;
  auto metric = metrics().make(given.at("metric").text() + (counts_words ? "++" : ""));
  metric->set(settings_of(given.at("settings")));
  return metric;
}

TEST(Lower, EqualsPythons) {
  const Texts lines = texts(fixture().at("lines"));
  const Texts expected = texts(fixture().at("lower"));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(to_utf8(lower(code_points(lines[i]))), expected[i]);
  }
}

TEST(Tokenisations, EqualSacrebleus) {
  const Texts lines = texts(fixture().at("lines"));
  for (const auto& entry : tokenisations()) {
    const Texts expected = texts(fixture().at("tokens").at(entry.name));
    const auto tokenisation = entry.make();
    EXPECT_EQ(tokenisation->name(), entry.name);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string joined;
      for (const auto& token : tokenisation->tokens(strip_right(code_points(lines[i])))) {
        joined += (joined.empty() ? "" : "\n") + to_utf8(token);
      }
      EXPECT_EQ(joined, expected[i]) << entry.name << ": " << lines[i];
    }
  }
}

TEST(Corpus, EveryLineEqualsSacrebleus) {
  for (const JsonReader& one : fixture().at("corpus").items()) {
    const auto given = one.find("texts").value_or(fixture().at("texts"));
    const auto count = static_cast<std::size_t>(one.at("references").integer(1));
    const auto metric = metric_of(one);
    const Evaluation made = evaluate(*metric, texts(given.at("hypotheses")),
                                     references_of(given.at("references"), count));
    EXPECT_EQ(made.line(2), one.at("line").text());
    EXPECT_EQ(made.line(1), one.at("short").text());
    EXPECT_NEAR(made.score, one.at("score").number(), 1e-12 * (1 + made.score));
  }
}

TEST(Sentences, ScoresEqualSacrebleusAndRougeScores) {
  const Texts hypotheses = texts(fixture().at("texts").at("hypotheses"));
  const auto references = references_of(fixture().at("texts").at("references"), 3);
  for (const char* name : {"bleu", "chrf++", "ter", "rouge1", "rouge2", "rougeL"}) {
    const auto metric = metrics().make(name);
    MetricSettings settings;
    settings.uses_effective_order = true;
    metric->set(settings);
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      const double expected = fixture().at("sentences").at(i).at(name).number();
      const double made =
          metric->score(Texts{hypotheses[i]}, std::vector<References>{references[i]});
      EXPECT_NEAR(made, expected, 1e-12 * (1 + expected)) << name << " of " << hypotheses[i];
    }
  }
}

TEST(ShiftedEdits, EqualTercoms) {
  for (const JsonReader& one : fixture().at("edits").items()) {
    WordNumbers numbers;
    const auto words = [&](const char* which) {
      return numbers.of(split_at_blanks(code_points(one.at(which).text())));
    };
    EXPECT_EQ(shifted_edits(words("hypothesis"), words("reference")),
              one.at("edits").at(0).integer())
        << one.at("hypothesis").text() << "\n"
        << one.at("reference").text();
  }
}

TEST(Pcg64, DrawsWhatNumpyDraws) {
  for (const JsonReader& one : fixture().at("draws").items()) {
    const std::uint64_t seed = one.at("seed").natural();
    Pcg64 choice(seed);
    for (const JsonReader& drawn : one.at("choice").items()) {
      EXPECT_EQ(choice.below(20), drawn.integer());
    }
    Pcg64 large(seed);
    for (const JsonReader& drawn : one.at("large").items()) {
      EXPECT_EQ(large.below(3'000'000'000U), drawn.integer());
    }
    Pcg64 generator(seed);
    Pcg64Bits bits(generator);
    for (const JsonReader& drawn : one.at("bits").items()) {
      EXPECT_EQ(bits.next() ? 1 : 0, drawn.integer());
    }
  }
}

class Systems : public testing::Test {
 protected:
  const JsonReader told = fixture().at("systems");
  const Texts first = texts(told.at("first"));
  const Texts second = texts(told.at("second"));
  std::vector<References> references;

  void SetUp() override {
    for (const std::string& line : texts(told.at("reference"))) {
      references.push_back({line});
    }
  }
};

TEST_F(Systems, ConfidenceEqualsSacrebleus) {
  for (const JsonReader& one : fixture().at("confidence").items()) {
    const Evaluation made = evaluate(*metric_of(one), first, references, Sampling());
    EXPECT_EQ(made.line(2), one.at("line").text());
    EXPECT_EQ(made.line(1), one.at("short").text());
  }
}

TEST_F(Systems, PairedTestsEqualSacrebleus) {
  for (const JsonReader& one : fixture().at("paired").items()) {
    const auto metric = metrics().make(one.at("metric").text());
    const auto baseline = metric->statistics(first, references);
    const auto system = metric->statistics(second, references);
    const bool is_bootstrap = one.at("test").text() == "bs";
    const PairedTest made = is_bootstrap ? paired_bootstrap(*metric, baseline, system)
                                         : paired_randomisation(*metric, baseline, system);
    EXPECT_DOUBLE_EQ(made.p, one.at("p").number()) << metric->name() << one.at("test").text();
    const Procedure procedure =
        is_bootstrap ? Procedure{.bootstrap = 1000} : Procedure{.randomisation = 10000};
    EXPECT_EQ(signature(*metric, references, procedure), one.at("signature").text());
    EXPECT_NEAR(metric->score(sum_of(baseline)), one.at("scores").at(0).number(), 1e-12);
    EXPECT_NEAR(metric->score(sum_of(system)), one.at("scores").at(1).number(), 1e-12);
    if (is_bootstrap) {  // the peer sums and divides in float32
      const Confidence sure = bootstrap(*metric, system);
      EXPECT_NEAR(sure.mean, one.at("estimates").at(1).at(0).number(), 1e-4);
      EXPECT_NEAR(sure.margin, one.at("estimates").at(1).at(1).number(), 1e-4);
    }
  }
}

TEST_F(Systems, ErrorRatesEqualJiwers) {
  for (const JsonReader& one : fixture().at("word_errors").items()) {
    const Texts& system = one.at("system").text() == "first" ? first : second;
    for (const char* name : {"wer", "cer"}) {
      EXPECT_DOUBLE_EQ(metrics().make(name)->score(system, references), one.at(name).number());
    }
  }
}

}  // namespace
}  // namespace heed::peers_test
