// The metrics of captions: worked out by hand, and against the COCO caption evaluation
// (tests/fixtures/captions.json, written by tools/fixtures/captions.py).
#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json_reader.h"
#include "heed/metric/metrics.h"

namespace heed::captions_test {
namespace {

using Texts = std::vector<std::string>;
using Many = std::vector<References>;

double score(std::string_view name, const Texts& hypotheses, const Many& references) {
  return metrics().make(name)->score(hypotheses, references);
}

const JsonReader& fixture() {
  static const Json json =
      parse_json(read_file(HEED_SOURCE_DIR "/tests/fixtures/captions.json"), "captions.json");
  static const JsonReader reader(json, "captions.json");
  return reader;
}

Texts texts(const JsonReader& array) {
  Texts all;
  for (const JsonReader& item : array.items()) {
    all.push_back(item.text());
  }
  return all;
}

Many texts_of_each(const JsonReader& array) {
  Many all;
  for (const JsonReader& item : array.items()) {
    all.push_back(texts(item));
  }
  return all;
}

TEST(CocoBleu, ByHand) {
  // Seven words of which two are in a reference, and a reference of seven words.
  const Texts the = {"the The the the the the the"};
  const Many mats = {{"the cat is on the mat", "there is a cat on the mat"}};
  EXPECT_NEAR(score("coco_bleu1", the, mats), 100 * 2 / 7.0, 1e-7);
  // p_1 = 3/4 and p_2 = 1/3; the references are as near as each other, and the shorter counts.
  const Texts four = {"a dog ran away"};
  const Many dogs = {{"a dog away", "a quick brown fox jumps"}};
  EXPECT_NEAR(score("coco_bleu1", four, dogs), 75, 1e-7);
  EXPECT_NEAR(score("coco_bleu2", four, dogs), 100 * std::sqrt(0.25), 1e-7);
  // Half as long as the reference.
  EXPECT_NEAR(score("coco_bleu1", {"a b"}, {{"a b c d"}}), 100 * std::exp(-1), 1e-7);
  // Sums are over the corpus: 1/1 and 1/3 make 2/4.
  EXPECT_NEAR(score("coco_bleu1", {"a", "b c d"}, {{"a"}, {"b x y"}}), 50, 1e-7);
  EXPECT_NEAR(score("coco_bleu4", {"A b c d e"}, {{"a B c d e"}}), 100, 1e-7);
}

TEST(CocoRougeL, ByHand) {
  EXPECT_NEAR(score("coco_rougeL", {"a x"}, {{"a b c"}}),
              100 * 2.44 * 0.5 / 3 / (1 / 3.0 + 1.44 * 0.5), 1e-12);
  // The best precision and the best recall come from different references.
  EXPECT_NEAR(score("coco_rougeL", {"a b c d"}, {{"a c", "x a b c d y z w"}}), 100, 1e-12);
  EXPECT_EQ(score("coco_rougeL", {"a", ""}, {{"b"}, {"c"}}), 0);
}

TEST(CiderD, ByHand) {
  // Every document has "a", which weighs nothing; "b", "c" and the pairs weigh ln 2.
  const Many documents = {{"a b"}, {"a c"}};
  const double perfect = 10 * (1 + 1) / 4.0;  // there are no 3-grams and 4-grams
  EXPECT_NEAR(score("cider_d", {"a b", "a c"}, documents), 100 * perfect, 1e-10);
  EXPECT_NEAR(score("cider_d", {"a b", "a b"}, documents), 100 * perfect / 2, 1e-10);
  // Clipped: "b" counts once of two times, so its cosine is 1/2.
  EXPECT_NEAR(score("cider_d", {"b b", ""}, documents), 100 * 10 * 0.5 / 4 / 2, 1e-10);
  // Two words longer than the reference; the pair "b b" is in no document and weighs ln 2 as well.
  const double longer = 10 * (1 / 3.0 + 1 / std::sqrt(5)) / 4 * std::exp(-4 / 72.0);
  EXPECT_NEAR(score("cider_d", {"a b b b", ""}, documents), 100 * longer / 2, 1e-10);
  // The mean over references. "b" is in one document of two, "a" in both.
  EXPECT_NEAR(score("cider_d", {"a b", "a"}, {{"a b", "a x"}, {"a c"}}), 100 * perfect / 2 / 2,
              1e-10);
}

TEST(CiderD, ScoresSingleCaptionsWithFixedDocuments) {
  const Many documents = {{"a b"}, {"a c"}};
  const auto metric = metrics().make("cider_d");
  EXPECT_EQ(metric->score(Texts{"a b"}, Many{{"a b"}}), 0);  // one document: nothing is rare
  const auto informed = metric->informed_by(documents);
  ASSERT_NE(informed, nullptr);
  EXPECT_TRUE(metric->needs_corpus());
  EXPECT_FALSE(informed->needs_corpus());
  EXPECT_NEAR(informed->score(Texts{"a b"}, Many{{"a b"}}), 500, 1e-10);
  // A word that no document has weighs as much as one that a single document has.
  EXPECT_NEAR(informed->score(Texts{"x"}, Many{{"x"}}), 250, 1e-10);
  EXPECT_EQ(informed->score(Texts{"x"}, Many{{"y"}}), 0);
  EXPECT_EQ(informed->informed_by(Many{{"a"}}), nullptr);
  EXPECT_EQ(metrics().make("bleu")->informed_by(documents), nullptr);
  EXPECT_THROW(metric->informed_by(Many{}), Error);
  EXPECT_THROW(metric->informed_by(Many{{"\xFF"}}), Error);
}

TEST(CiderD, ForgetsTheDocumentsWhenItsSettingsChange) {
  const Many documents = {{"a . b"}, {"a c"}};
  const auto informed = metrics().make("cider_d")->informed_by(documents);
  MetricSettings settings;
  settings.caption_drops_punctuation = true;
  informed->set(settings);
  const auto again = informed->informed_by(documents);
  ASSERT_NE(again, nullptr);
  EXPECT_NEAR(again->score(Texts{"a b"}, Many{{"a b ."}}), 500, 1e-10);
}

TEST(Captions, CorporaAndCaptionsEqualTheCocoEvaluation) {
  for (const JsonReader& one : fixture().at("corpora").items()) {
    const Texts outputs = texts(one.at("outputs"));
    const Many references = texts_of_each(one.at("references"));
    MetricSettings settings;
    settings.caption_drops_punctuation = one.at("caption_no_punct").boolean();
    for (const char* name :
         {"coco_bleu1", "coco_bleu2", "coco_bleu3", "coco_bleu4", "coco_rougeL", "cider_d"}) {
      const auto metric = metrics().make(name);
      metric->set(settings);
      const JsonReader expected = one.at("scores").at(name);
      const auto expect_score = [&](const Statistics& statistics, double peers) {
        EXPECT_NEAR(metric->score(statistics), 100 * peers, 1e-12 * (1 + 100 * peers)) << name;
      };
      const std::vector<Statistics> captions = metric->statistics(outputs, references);
      expect_score(sum_of(captions), expected.at("corpus").number());
      for (std::size_t i = 0; i < captions.size(); ++i) {
        SCOPED_TRACE(outputs[i]);
        expect_score(captions[i], expected.at("captions").at(i).number());
      }
    }
  }
}

TEST(Captions, SingleOnesWithFixedDocumentsEqualTheCocoEvaluation) {
  const JsonReader given = fixture().at("fixed");
  const Texts outputs = texts(given.at("outputs"));
  const Many references = texts_of_each(given.at("references"));
  const auto metric = metrics().make("cider_d")->informed_by(texts_of_each(given.at("documents")));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double expected = 100 * given.at("cider_d").at(i).number();
    EXPECT_NEAR(metric->score(Texts{outputs[i]}, Many{references[i]}), expected,
                1e-12 * (1 + expected))
        << outputs[i];
  }
}

}  // namespace
}  // namespace heed::captions_test
