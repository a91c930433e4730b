#include "heed/metric/resample.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/metric/evaluation.h"
#include "heed/metric/metrics.h"

namespace heed::resample_test {
namespace {

std::vector<Statistics> rights(int right, int all) {
  std::vector<Statistics> out;
  for (int i = 0; i < all; ++i) {
    out.push_back({i < right ? 1.0 : 0.0, 1});
  }
  return out;
}

TEST(Bootstrap, OfSharesIsTheBinomialsInterval) {
  const auto metric = metrics().make("exact_match");
  const Confidence sure = bootstrap(*metric, rights(300, 400), {.samples = 4000, .seed = 1});
  EXPECT_NEAR(sure.mean, 75, 0.2);
  EXPECT_NEAR(sure.margin, 100 * 1.96 * std::sqrt(0.75 * 0.25 / 400), 0.3);
  const Confidence certain = bootstrap(*metric, rights(400, 400));
  EXPECT_EQ(certain.mean, 100);
  EXPECT_EQ(certain.margin, 0);
}

TEST(Bootstrap, FollowsItsSeed) {
  const auto metric = metrics().make("exact_match");
  const auto sentences = rights(30, 70);
  const auto mean = [&](std::uint64_t seed) {
    return bootstrap(*metric, sentences, {.samples = 100, .seed = seed}).mean;
  };
  EXPECT_EQ(mean(5), mean(5));
  EXPECT_NE(mean(5), mean(6));
}

/// Enumerates all outcomes of n coin tosses instead of sampling them.
double exact_p(const Metric& metric, const std::vector<Statistics>& a,
               const std::vector<Statistics>& b) {
  const double real = std::abs(metric.score(sum_of(a)) - metric.score(sum_of(b)));
  int beyond = 0;
  const unsigned ways = 1U << a.size();
  for (unsigned way = 0; way < ways; ++way) {
    std::vector<Statistics> first = a;
    std::vector<Statistics> second = b;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if ((way >> i & 1U) != 0) {
        std::swap(first[i], second[i]);
      }
    }
    beyond += std::abs(metric.score(sum_of(first)) - metric.score(sum_of(second))) > real ? 1 : 0;
  }
  return static_cast<double>(beyond) / ways;
}

TEST(PairedRandomisation, ApproachesTheExactTest) {
  const auto metric = metrics().make("wer");
  const std::vector<Statistics> a = {{3, 8}, {1, 4}, {0, 5}, {4, 6},
                                     {2, 7}, {5, 9}, {1, 3}, {2, 4}};
  const std::vector<Statistics> b = {{1, 8}, {1, 4}, {1, 5}, {1, 6},
                                     {2, 7}, {2, 9}, {0, 3}, {3, 4}};
  const double p = paired_randomisation(*metric, a, b, {.samples = 20000}).p;
  EXPECT_NEAR(p, exact_p(*metric, a, b), 0.015);
}

TEST(PairedTests, TellSystemsThatDifferFromOnesThatDoNot) {
  const auto metric = metrics().make("exact_match");
  const auto weak = rights(100, 400);
  const auto strong = rights(300, 400);
  EXPECT_LT(paired_bootstrap(*metric, weak, strong).p, 0.05);
  EXPECT_LT(paired_randomisation(*metric, weak, strong).p, 0.05);
  // No sample of a system against itself exceeds the difference of 0.
  EXPECT_DOUBLE_EQ(paired_randomisation(*metric, weak, weak).p, 1.0 / 10001);
  EXPECT_DOUBLE_EQ(paired_bootstrap(*metric, weak, weak).p, 1.0 / 1001);
  // One more right answer of 400 is not significant; with one coin the difference is never larger.
  EXPECT_GT(paired_bootstrap(*metric, rights(200, 400), rights(201, 400)).p, 0.05);
}

TEST(PairedTests, RefuseWhatIsNoPair) {
  const auto metric = metrics().make("exact_match");
  EXPECT_THROW(bootstrap(*metric, {}), Error);
  EXPECT_THROW(bootstrap(*metric, rights(1, 2), {.samples = 0}), Error);
  EXPECT_THROW(paired_bootstrap(*metric, rights(1, 2), rights(1, 3)), Error);
  EXPECT_THROW(paired_randomisation(*metric, rights(1, 2), rights(1, 3)), Error);
}

TEST(Evaluation, SaysAllOfIt) {
  const std::vector<std::string> outputs = {"a b c d", "e f"};
  const std::vector<References> references = {{"a b c d"}, {"e g", "f"}};
  const Evaluation made = evaluate(*metrics().make("wer"), outputs, references, Sampling());
  EXPECT_EQ(made.title, "WER");
  EXPECT_EQ(made.signature, "nrefs:var|bs:1000|seed:12345|case:mixed|tok:words");
  EXPECT_DOUBLE_EQ(made.score, 100 * 1.0 / 6);
  EXPECT_TRUE(made.line(1).starts_with("WER|" + made.signature + " = 16.7 (μ = ")) << made.line(1);
  const Json json = evaluate(*metrics().make("bleu"), outputs, references).json(1);
  // Each word is in some reference, one pair of words in none: 100 · 0.75^¼.
  const std::string signature = "nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0";
  const std::string details =
      "100.0/75.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)";
  EXPECT_EQ(json.write(), R"({"name":"BLEU","score":93.1,"signature":")" + signature +
                              R"(","verbose_score":")" + details +
                              R"(","nrefs":"var","case":"mixed","eff":"no","tok":"13a",)" +
                              R"("smooth":"exp","version":"2.6.0"})");
}

}  // namespace
}  // namespace heed::resample_test
