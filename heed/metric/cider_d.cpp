// CIDEr-D (Vedantam 2015, section 4 and its appendix on gaming), as the COCO caption evaluation
// computes it under the name CIDEr.
//
//     CIDEr-D = 100 · mean_i (10 / |R_i|) Σ_{r ∈ R_i} penalty(h_i, r) · ¼ Σ_n s_n(h_i, r)
//     s_n     = Σ_g min(v_h(g), v_r(g)) v_r(g) / (‖v_h‖ ‖v_r‖)   over the n-grams g of n words
//     v_x(g)  = times of g in x · idf(g)                          (document_frequencies.h)
//     penalty = exp(−(|h_i| − |r|)² / (2 σ²)),   σ = 6
//
// The published evaluation prints the score without the factor of 100: 0.526 there is 52.6 here, and
// what no caption exceeds is 1000. Lengths are counted in pairs of words, so that texts of no word
// and of one word are equally long. The documents of idf are the pictures with their references; in
// a corpus of one picture every idf, and so every score, is 0. For single captions the documents are
// fixed beforehand: Metric::informed_by.
#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/metric/caption_words.h"
#include "heed/metric/document_frequencies.h"
#include "heed/metric/metrics.h"

namespace heed {
namespace {

std::size_t order_of(const WordNgram& ngram) {
  return static_cast<std::size_t>(std::find(ngram.begin(), ngram.end(), 0U) - ngram.begin());
}

/// The tf-idf vectors of a caption, all orders together in ascending order of the n-grams.
struct TfIdf {
  struct Element {
    WordNgram ngram;
    double weight;
  };

  TfIdf(const std::vector<std::uint32_t>& numbers, const DocumentFrequencies& frequencies)
      : pairs(std::max(static_cast<double>(numbers.size()) - 1, 0.0)) {
    const std::vector<WordNgram> all = ngrams_of(numbers);
    for (auto from = all.begin(); from != all.end();) {
      const auto to = std::upper_bound(from, all.end(), *from);
      const double weight = static_cast<double>(to - from) * frequencies.idf(*from);
      elements.push_back({*from, weight});
      norms[order_of(*from) - 1] += weight * weight;
      from = to;
    }
    for (double& norm : norms) {
      norm = std::sqrt(norm);
    }
  }

  std::vector<Element> elements;
  std::array<double, NgramCounts::orders> norms{};
  double pairs;
};

double similarity(const TfIdf& output, const TfIdf& reference) {
  std::array<double, NgramCounts::orders> products{};
  auto wanted = reference.elements.begin();
  for (const TfIdf::Element& said : output.elements) {
    while (wanted != reference.elements.end() && wanted->ngram < said.ngram) {
      ++wanted;
    }
    if (wanted != reference.elements.end() && wanted->ngram == said.ngram) {
      products[order_of(said.ngram) - 1] += std::min(said.weight, wanted->weight) * wanted->weight;
    }
  }
  double sum = 0;
  for (std::size_t n = 0; n < NgramCounts::orders; ++n) {
    const double norms = output.norms[n] * reference.norms[n];
    sum += norms > 0 ? products[n] / norms : 0;
  }
  constexpr double sigma = 6;
  const double difference = output.pairs - reference.pairs;
  return sum / NgramCounts::orders * std::exp(-difference * difference / (2 * sigma * sigma));
}

class CiderD : public Metric {
 public:
  std::string_view name() const override { return "cider_d"; }
  std::string title() const override { return "CIDEr-D"; }
  bool higher_is_better() const override { return true; }
  double best() const override { return 1000; }
  /// What the settings leave out of captions changes their n-grams: forgets what it was informed of.
  void set(const MetricSettings& settings) override {
    words_ = CaptionWords(settings);
    frequencies_ = nullptr;
  }
  std::vector<std::string> reads() const override { return CaptionWords::reads(); }
  Traits traits() const override { return words_.traits(); }

  bool needs_corpus() const override { return frequencies_ == nullptr; }
  std::unique_ptr<Metric> informed_by(std::span<const References> corpus) const override {
    if (!needs_corpus()) {
      return nullptr;
    }
    require(!corpus.empty(),
            "cider_d: saw no references, needs those of a corpus; give at least one document");
    auto frequencies = std::make_shared<DocumentFrequencies>();
    for (const References& references : corpus) {
      frequencies->add(words_.of_each(references));
    }
    auto informed = std::make_unique<CiderD>(*this);
    informed->frequencies_ = std::move(frequencies);
    return informed;
  }

  using Metric::score;
  /// Statistics are the caption's score and 1.
  double score(const Statistics& sum) const override { return 100 * sum[0] / sum[1]; }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    std::unordered_map<std::u32string, std::uint32_t> strangers;
    const auto vectors = [&](const std::string& caption) {
      return TfIdf(frequencies_->numbered(words_.of(caption), strangers), *frequencies_);
    };
    const TfIdf output = vectors(hypothesis);
    double sum = 0;
    for (const std::string& reference : references) {
      sum += similarity(output, vectors(reference));
    }
    return {10 * sum / static_cast<double>(references.size()), 1};
  }

 private:
  CaptionWords words_;
  /// Null until the metric is informed; Metric::statistics counts with an informed one only.
  std::shared_ptr<const DocumentFrequencies> frequencies_;
};

}  // namespace

std::unique_ptr<Metric> cider_d() { return std::make_unique<CiderD>(); }

}  // namespace heed
