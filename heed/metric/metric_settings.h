// The settings of metrics; those of BLEU, chrF and TER have the names and defaults of sacreBLEU 2.6.
#pragma once

#include <optional>
#include <string>

#include "heed/config/described.h"

namespace heed {

/// What BLEU does where no n-gram of an order matches (Chen and Cherry 2014).
enum class Smoothing { none, floor, add_k, exp };

struct MetricSettings : Described {
  void describe(Describer& d) override;

  std::string tokenise = "13a";  // BLEU: a name in the catalogue of tokenisations
  bool is_lowercase = false;     // BLEU, chrF, error rates, exact match: capitals are small letters
  Smoothing smoothing = Smoothing::exp;  // BLEU
  /// BLEU; where it is not given, 0.1 for floor and 1 for add_k.
  std::optional<double> smoothing_value = {};
  bool uses_effective_order = false;  // BLEU: only the orders that the text is long enough for
  // TER
  bool is_case_sensitive = false;
  bool is_normalised = false;      // punctuation is split from words, entities are decoded
  bool drops_punctuation = false;  // . , ? : ; ! " ( )
  bool supports_asian = false;     // the two above also treat ideographs and their punctuation
  std::string f1_label = {};       // F1: of this label alone; empty: the mean over all labels
  double tolerance_ms = 40;        // start_times: how far a word may begin from where it should
  // the metrics of captions
  bool caption_drops_punctuation = false;  // tokens such as . , : - as COCO's tokeniser does
};

}  // namespace heed
