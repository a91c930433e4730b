// heed inspect MODEL: what a model file holds. heed inspect --parts: which parts there are, with
// their formulas.
#include <fmt/core.h>

#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/cli/verbs.h"
#include "heed/config/explain.h"
#include "heed/data/synths.h"
#include "heed/engine/model_shelf.h"
#include "heed/engine/place.h"
#include "heed/metric/metrics.h"
#include "heed/model/decoders.h"
#include "heed/model/encoders.h"
#include "heed/model/model_file.h"
#include "heed/nn/norms.h"
#include "heed/text/tokenisers.h"
#include "heed/train/averages.h"
#include "heed/train/optimisers.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

template <class Part>
void list(const Catalogue<Part>& catalogue) {
  fmt::print("{}\n", catalogue.name());
  for (const auto& entry : catalogue) {
    std::string names = entry.name;
    for (const std::string& alias : entry.aliases) {
      names += " (" + alias + ")";
    }
    fmt::print("  {:<31} {}\n", names, entry.formula);
  }
}

void show(const TrainedModel& trained) {
  for (const auto& [key, value] : trained.about) {
    fmt::print("{:<12} {}\n", key, value);
  }
  fmt::print("{:<12} {}, {}\n", "source", trained.fields.source->kind(),
             trained.fields.source->summary());
  fmt::print("{:<12} {}, {}\n", "target", trained.fields.target->kind(),
             trained.fields.target->summary());
  fmt::print("{:<12} {}\n", "parameters", count_parameters(*trained.model));
  fmt::print("\n{}\n\n", config_of(*trained.model).write(2));
  for (const NamedParameter& parameter : distinct_parameters_of(*trained.model)) {
    fmt::print("{:<52} {}\n", parameter.name, to_string(parameter.tensor->shape()));
  }
}

class InspectVerb : public Verb {
 public:
  void options(Options& options) override {
    options.add("model", model_, "a model file, or the name of one that heed models lists")
        .takes("FILE");
    options.flag("--parts", lists_parts_, "list every part a recipe can name, with its formula");
  }
  std::string examples() const override {
    return "  heed inspect dates.safetensors\n  heed inspect --parts\n";
  }
  int run() override {
    if (lists_parts_) {
      list(scores());
      list(normalisers());
      list(focuses());
      list(encoders());
      list(decoders());
      list(norms());
      list(tokenisers());
      list(synths());
      list(optimisers());
      list(schedules());
      list(averages());
      list(metrics());
      return 0;
    }
    if (model_.empty()) {
      fail(Fault::usage, "inspect: saw no model, needs a model file, or --parts");
    }
    show(load_model(model_path(model_, "inspect"), place_on("cpu")));
    return 0;
  }

 private:
  std::string model_;
  bool lists_parts_ = false;
};

}  // namespace

std::unique_ptr<Verb> inspect_verb() { return std::make_unique<InspectVerb>(); }

}  // namespace heed
