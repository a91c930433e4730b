// heed quantise MODEL OUT: the same model in a smaller file, checked against the original.
#include <fmt/core.h>

#include <filesystem>

#include "heed/cli/environment.h"
#include "heed/cli/metric_options.h"
#include "heed/cli/output.h"
#include "heed/cli/shared_options.h"
#include "heed/cli/verbs.h"
#include "heed/config/apply.h"
#include "heed/data/examples.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/shelf/place.h"
#include "heed/metric/metrics.h"
#include "heed/model/file/quantised.h"

namespace heed {
namespace {

class QuantiseVerb : public Verb {
 public:
  void options(Options& options) override {
    options.add("model", model_, "the model file, or the name of one that heed models lists")
        .required()
        .takes("FILE")
        .completes("models");
    options.add("output", into_, "the file to write").required().takes("FILE");
    options.add("--precision", precision_, "how matrices are stored: int8, bf16 or f32")
        .check(one_of_precisions({"int8", "bf16", "f32"}))
        .takes("NAME")
        .with_default();
    options.under("Check");
    options
        .add("--pairs", pairs_,
             "compare both models on these lines of source, tab, reference; - for standard input")
        .takes("FILE");
    options.add("--metric", metric_, "the metric of the comparison")
        .check(one_of(metrics().listing()))
        .takes("NAME")
        .with_default()
        .only_with({"--pairs"});
    options.add("--most-loss", most_loss_, "write nothing if the smaller model is worse by more")
        .check(between(0, 1e6))
        .takes("X")
        .with_default()
        .only_with({"--pairs"});
    metric_options_.options(options);
    metric_options_.only_with({"--pairs"});
    options.under("Machine");
    backend_option(options, backend_);
  }
  std::string description() const override {
    return "Writes a model into a smaller file. int8 stores matrices in a quarter of the space, "
           "with a scale for every row; bf16 in half of it. With --pairs both models translate the "
           "same sentences, each as its file says, and if the smaller one is worse by more than "
           "--most-loss nothing is written. Every verb reads such files; --precision int8 "
           "multiplies in the same precision.";
  }
  std::string examples() const override {
    return "  heed quantise en-zh small.safetensors\n"
           "  heed quantise dates.safetensors half.safetensors --precision bf16\n"
           "  heed quantise en-zh small.safetensors --pairs val.tsv --metric chrf \\\n"
           "    --most-loss 0.3\n";
  }

  int run() override {
    const std::string path = model_shelf().path_of(model_, "quantise");
    check_is_no_input("quantise", into_, {path, pairs_});
    const auto bytes = std::filesystem::file_size(path);
    const SafetensorsFile original = read_safetensors(path);
    const std::string stored = stored_precision(original);
    if (stored == "int8" && precision_ == "bf16") {
      fail(Fault::usage,
           "quantise: {} is stored in int8 already, and bf16 would make it larger; quantise the "
           "original instead",
           path);
    }
    const SafetensorsFile smaller = in_precision(original, precision_named(precision_), path);
    const Place place = place_on(backend_);
    const TrainedModel after = model_from(smaller, place, into_);
    if (!pairs_.empty()) {
      compare(model_from(original, place, path), after);
    }
    write_safetensors(into_, smaller);
    fmt::print("bytes  {} -> {}\n", bytes, std::filesystem::file_size(into_));
    return 0;
  }

 private:
  /// The metric of a model's translations.
  double score(const TrainedModel& trained, const std::vector<Example>& pairs) const {
    AnswerOptions how;
    apply(how.search, trained.search);
    std::vector<std::string> lines;
    std::vector<References> references;
    for (const Example& pair : pairs) {
      lines.push_back(pair.source);
      references.push_back({pair.target});
    }
    const auto metric = metrics().make(metric_);
    metric->set(metric_options_.settings());
    std::vector<std::string> texts;
    for (const Replies& best : answer(trained, lines, how)) {
      texts.push_back(best.front().text);
    }
    return metric->score(texts, references);
  }

  void compare(const TrainedModel& before, const TrainedModel& after) const {
    const auto metric = metrics().make(metric_);
    if (!metric->reads_text()) {
      fail(Fault::usage, "quantise: {} does not compare texts; choose another --metric", metric_);
    }
    metric_options_.check_effects("quantise", {&metric, 1});
    const std::vector<Example> pairs = read_pairs(pairs_, *after.fields.source);
    const double old_score = score(before, pairs);
    const double new_score = score(after, pairs);
    fmt::print("{}  {:.4g} -> {:.4g} ({} pairs)\n", metric_, old_score, new_score, pairs.size());
    if (old_score == 0 && new_score == 0 && metric->higher_is_better()) {
      const bool may_lack_blanks = does_read(*metric, "tokenize");
      fail("quantise: {} is 0 for both models and shows nothing; try {}", metric_,
           may_lack_blanks ? "--tokenize zh or another --metric" : "another --metric");
    }
    const double loss = metric->higher_is_better() ? old_score - new_score : new_score - old_score;
    if (!(loss <= most_loss_)) {
      fail("quantise: {} is worse by {:.4g}, more than --most-loss {:g} allows; nothing is written",
           metric_, loss, most_loss_);
    }
  }

  std::string model_;
  std::string into_;
  std::string precision_ = "int8";
  std::string pairs_;
  std::string metric_ = "chrf";
  MetricOptions metric_options_;
  double most_loss_ = 0.5;
  std::string backend_ = "cpu";
};

}  // namespace

std::unique_ptr<Verb> quantise_verb() { return std::make_unique<QuantiseVerb>(); }

}  // namespace heed
