// Recipes on a backend that is as far away as a GPU: training, validation, sampling and saving touch no
// tensor's memory from the host, and rely on no call having run.
#include <gtest/gtest.h>

#include "heed/base/file.h"
#include "heed/engine/run/recipe.h"
#include "heed/engine/run/recipe_file.h"
#include "tests/base/scratch_directory.h"
#include "tests/support/far_backend.h"

namespace heed::far_recipe_slow_test {
namespace {

class FarRecipe : public ::testing::TestWithParam<std::string> {};

/// The model's file after three steps with two validations.
std::string trained(const std::string& name, Backend& backend, const std::string& folder) {
  RecipeFile file = read_recipe(HEED_SOURCE_DIR "/recipes/" + name + ".toml");
  for (const char* setting :
       {"data.train_examples=48", "data.valid_examples=6", "training.steps=3",
        "training.validate_every=2", "training.batch_sentences=8", "training.samples=1"}) {
    override_setting(file, setting);
  }
  if (name == "shapes-attend-first") {
    override_setting(file, "data.source.side=32");  // convolutions without kernels are slow
  }
  Recipe recipe;
  const ModelShelf shelf;
  (void)configure(recipe, file, shelf);
  const TrainReport report =
      train(recipe, {.folder = folder, .place = {&backend, DType::f32}, .name = name});
  EXPECT_EQ(report.ending, Ending::finished);
  EXPECT_EQ(report.state.step, 3);
  return read_file(folder + "/model.safetensors");
}

TEST_P(FarRecipe, HasEveryWeightEqual) {
  const ScratchDirectory scratch;
  const std::unique_ptr<Backend> far = test::far_backend();
  const std::unique_ptr<Backend> near = test::far_backend(test::Distance::near);
  const std::string weights = trained(GetParam(), *far, scratch / "far");
  EXPECT_GT(weights.size(), 1000U);
  EXPECT_TRUE(weights == trained(GetParam(), *near, scratch / "near"));
}

/// Recurrent and Transformer decoders, hard attention, drawn words, pictures, sound and numbers; a decoder
/// of each kind.
INSTANTIATE_TEST_SUITE_P(OfEveryKind, FarRecipe,
                         ::testing::Values("dates-demo", "dates-transformer", "dates-hard",
                                           "dates-scheduled-sampling", "reverse-location-aware",
                                           "trends-mask-predict", "tones-ctc",
                                           "shapes-attend-first", "marked-label", "signals-frames"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace heed::far_recipe_slow_test
