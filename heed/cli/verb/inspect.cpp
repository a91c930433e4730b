// heed inspect MODEL: what a model file holds. heed inspect --parts: all parts with their formulas.
#include <fmt/core.h>

#include "heed/cli/environment.h"
#include "heed/cli/verbs.h"
#include "heed/config/explain.h"
#include "heed/engine/catalogues.h"
#include "heed/engine/place.h"
#include "heed/model/model_file.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

void list(const Listing& kind) {
  fmt::print("{}\n", kind.name);
  for (const Listing::Entry& entry : kind.entries) {
    std::string names = entry.name;
    for (const std::string& alias : entry.aliases) {
      names += " (" + alias + ")";
    }
    fmt::print("  {:<31} {}\n", names, entry.formula);
  }
}

void show(const TrainedModel& trained) {
  for (const auto& [key, value] : trained.about) {
    fmt::print("{:<12} {}\n", make_visible(key), make_visible(value));
  }
  fmt::print("{:<12} {}, {}\n", "source", trained.fields.source->kind(),
             trained.fields.source->summary());
  fmt::print("{:<12} {}, {}\n", "target", trained.fields.target->kind(),
             trained.fields.target->summary());
  fmt::print("{:<12} {}\n", "parameters", count_parameters(*trained.model));
  fmt::print("\n{}\n\n", config_of(*trained.model).write(2));
  for (const NamedParameter& parameter : distinct_parameters_of(*trained.model)) {
    fmt::print("{:<52} {}\n", make_visible(parameter.name), to_string(parameter.tensor->shape()));
  }
}

class InspectVerb : public Verb {
 public:
  void options(Options& options) override {
    options.add("model", model_, "a model file, or the name of one that heed models lists")
        .takes("FILE");
    options.flag("--parts", lists_parts_, "list every part and verb with its formula");
  }
  std::string examples() const override {
    return "  heed inspect dates.safetensors\n  heed inspect --parts\n";
  }
  int run() override {
    if (lists_parts_) {
      for (const Listing& kind : catalogues()) {
        list(kind);
      }
      list(verbs().listing());
      return 0;
    }
    if (model_.empty()) {
      fail(Fault::usage, "inspect: saw no model, needs a model file, or --parts");
    }
    show(load_model(model_shelf().path_of(model_, "inspect"), place_on("cpu")));
    return 0;
  }

 private:
  std::string model_;
  bool lists_parts_ = false;
};

}  // namespace

std::unique_ptr<Verb> inspect_verb() { return std::make_unique<InspectVerb>(); }

}  // namespace heed
