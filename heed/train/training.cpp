#include "heed/train/training.h"

#include <algorithm>
#include <cmath>

#include "heed/config/limits.h"
#include "heed/metric/metrics.h"
#include "heed/train/averages.h"
#include "heed/train/feed_policies.h"
#include "heed/train/optimisers.h"
#include "heed/train/run_state.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

/// What may choose the best model: the loss, the perplexity, and every metric of texts.
Listing judges() {
  Listing all{"metric", {{"loss", {}, ""}, {"perplexity", {}, ""}}};
  for (const auto& entry : metrics()) {
    if (entry.make()->reads_text()) {
      all.entries.push_back({entry.name, entry.aliases, entry.formula});
    }
  }
  return all;
}

}  // namespace

Training::Training()
    : feed(make_part(feed_policies(), "right_words")),
      optimiser(make_part(optimisers(), "adam")),
      schedule(make_part(schedules(), "constant")),
      average(make_part(averages(), "none")) {}

void Training::describe(Describer& d) {
  d.setting("steps", steps, {.help = "updates in the whole run", .least = 1, .most = most_steps});
  d.setting("epochs", epochs,
            {.help = "passes over the training data, in place of `steps`; 0: use `steps`",
             .least = 0,
             .most = 1e6});
  batches.describe(d);
  d.setting("accumulate", accumulate,
            {.help = "batches whose gradients make one update; memory holds them all",
             .least = 1,
             .most = most_accumulated});
  d.setting("seed", seed,
            {.help = "seed of weights, order and dropout", .least = 0, .most = most_signed_seed});
  d.setting("precision", precision, {{"f32", Precision::f32}, {"bf16", Precision::bf16}},
            {"precision of products with weights and within attention; weights and sums stay f32"});
  d.setting("label_smoothing", label_smoothing,
            {.help = "probability spread over all words", .least = 0, .most = 0.99});
  d.setting("clip", clip,
            {.help = "largest norm of the gradient; 0: no limit", .least = 0, .most = 1e12});
  d.setting("most_skipped", most_skipped,
            {.help = "stop after this many steps in a row whose loss or gradient is not finite",
             .least = 1,
             .most = 10000});
  d.setting("log_every", log_every,
            {.help = "steps between lines of metrics.jsonl", .least = 1, .most = most_steps});
  d.setting("validate_every", validate_every,
            {.help = "steps between validations; 0: never", .least = 0, .most = most_steps});
  d.setting(
      "validate_sentences", validate_sentences,
      {.help = "most sentences decoded for the metric; 0: all", .least = 0, .most = most_examples});
  d.setting("metric", metric, name_from(judges(), "the metric that chooses the best model"));
  d.setting("patience", patience,
            {.help = "stop after this many validations without gain; 0: never",
             .least = 0,
             .most = most_steps});
  d.setting("min_gain", min_gain,
            {.help = "an improvement over the best counts as gain if it is larger",
             .least = 0,
             .most = 1e12});
  d.setting("samples", samples,
            {.help = "validation sentences shown with their heat maps in samples/",
             .least = 0,
             .most = 10000});
  d.setting("save_every", save_every,
            {.help = "steps between checkpoints", .least = 1, .most = most_steps});
  d.setting("keep", keep, {.help = "number of checkpoints that are kept", .least = 2, .most = 1e6});
  d.setting("init", init,
            {"a model to start from: its vocabularies, its weights, and its settings where [model] "
             "says nothing"});
  objectives.describe(d);
  d.part("feed", feed, feed_policies(), {"which words the decoder is fed in training"});
  d.part("optimiser", optimiser, optimisers(), {"turns gradients into updates"});
  d.part("schedule", schedule, schedules(), {"how the learning rate changes"});
  d.part("average", average, averages(), {"which weights are validated and saved"});
  d.child("search", search);
  d.child("scoring", scoring);
}

void Training::count_steps(const Corpus& train) {
  if (epochs > 0) {
    const auto batches = static_cast<double>(Batches(train, batch_options()).in_whole_epoch());
    const double updates = std::ceil(epochs * batches / static_cast<double>(accumulate));
    steps = static_cast<int64_t>(std::clamp(updates, 1.0, static_cast<double>(most_steps)));
  }
}

BatchOptions Training::batch_options() const {
  BatchOptions options = batches;
  options.seed = static_cast<uint64_t>(seed);
  options.curriculum.steps *= accumulate;  // Batches counts batches
  return options;
}

double Training::learning_rate(const RunProgress& progress) const {
  return optimiser->learning_rate() * schedule->factor(progress);
}

}  // namespace heed
