// A recipe: TOML is read, and its settings are applied to data, model and training. A first line
// `#set a.b=value` is what --set would get.
#include "fuzz/fuzz_target.h"
#include "heed/data/data_plan.h"
#include "heed/engine/run/recipe_file.h"
#include "heed/model/model.h"
#include "heed/train/training.h"

namespace heed::fuzz {
namespace {

/// A Recipe's settings, without what runs them.
class Settings : public Described {
 public:
  void describe(Describer& d) override {
    d.child("data", data_);
    d.child("model", model_);
    d.child("training", training_);
  }

 private:
  DataPlan data_;
  Model model_;
  Training training_;
};

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  const std::string text = fuzz::text_of(data, size);
  const std::string first = text.substr(0, text.find('\n'));
  fuzz::take_or_refuse(Fault::usage, [&] {
    RecipeFile recipe = parse_recipe(text, "recipe");
    if (first.starts_with("#set ")) {
      override_setting(recipe, first.substr(5));
    }
    fuzz::Settings settings;
    apply(settings, recipe.tree);
  });
  return 0;
}
