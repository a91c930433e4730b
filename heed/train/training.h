// The [training] table of a recipe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "heed/config/described.h"
#include "heed/data/batches.h"
#include "heed/metric/metric_settings.h"
#include "heed/nn/precision.h"
#include "heed/search/search_options.h"
#include "heed/train/average.h"
#include "heed/train/feed_policy.h"
#include "heed/train/objective_list.h"
#include "heed/train/optimiser.h"
#include "heed/train/schedule.h"

namespace heed {

class Training : public Described {
 public:
  Training();
  void describe(Describer& d) override;

  BatchOptions batch_options() const;
  /// Whether the metric compares outputs with references; otherwise the loss or the perplexity
  /// judges.
  bool judges_text() const { return metric != "loss" && metric != "perplexity"; }
  /// Sets `steps` from `epochs`, if that is set.
  void count_steps(const Corpus& train);
  /// η at this progress.
  double learning_rate(const RunProgress& progress) const;

  int64_t steps = 10000;
  double epochs = 0;  // 0: `steps` counts; see count_steps
  BatchOptions batches;
  int64_t accumulate = 1;
  int64_t seed = 1;
  Precision precision = Precision::f32;
  double label_smoothing = 0;
  double clip = 1;
  int64_t most_skipped = 5;
  int64_t log_every = 100;
  int64_t validate_every = 1000;
  int64_t validate_sentences = 500;
  std::string metric = "loss";
  MetricSettings scoring;  // the settings of the metric
  SearchOptions search;    // how validation sentences are decoded
  int64_t patience = 0;
  double min_gain = 0;
  int64_t samples = 4;
  int64_t save_every = 1000;
  int64_t keep = 3;
  std::string init;
  ObjectiveList objectives;
  std::unique_ptr<FeedPolicy> feed;
  std::unique_ptr<Optimiser> optimiser;
  std::unique_ptr<Schedule> schedule;
  std::unique_ptr<Average> average;
};

}  // namespace heed
