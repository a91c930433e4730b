// The catalogue of metrics. To add one: a file beside this one, a line here and one in metrics.cpp.
#pragma once

#include <memory>
#include <string_view>

#include "heed/base/catalogue.h"
#include "heed/metric/metric.h"

namespace heed {

/// BLEU, chrF and TER equal those of this sacreBLEU to the last printed digit; their signatures name
/// it.
inline constexpr std::string_view sacrebleu_version = "2.6.0";

std::unique_ptr<Metric> bleu();
std::unique_ptr<Metric> chrf();
std::unique_ptr<Metric> chrf_plus_plus();
std::unique_ptr<Metric> ter();
std::unique_ptr<Metric> rouge_1();
std::unique_ptr<Metric> rouge_2();
std::unique_ptr<Metric> rouge_l();
std::unique_ptr<Metric> coco_bleu_1();
std::unique_ptr<Metric> coco_bleu_2();
std::unique_ptr<Metric> coco_bleu_3();
std::unique_ptr<Metric> coco_bleu_4();
std::unique_ptr<Metric> coco_rouge_l();
std::unique_ptr<Metric> cider_d();
std::unique_ptr<Metric> exact_match();
std::unique_ptr<Metric> token_accuracy();
std::unique_ptr<Metric> label_f1();
std::unique_ptr<Metric> word_error_rate();
std::unique_ptr<Metric> character_error_rate();
std::unique_ptr<Metric> phoneme_error_rate();
std::unique_ptr<Metric> sentence_error_rate();
std::unique_ptr<Metric> start_times();
std::unique_ptr<Metric> alignment_error_rate();

/// A program adds its own metric with `metrics().add({"mine", {}, "its formula", make_mine})`.
Catalogue<Metric>& metrics();

}  // namespace heed
