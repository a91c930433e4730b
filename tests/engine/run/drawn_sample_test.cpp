#include "heed/engine/run/drawn_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/data/fields.h"
#include "heed/media/decode_picture.h"
#include "tests/engine/small_trained_model.h"

namespace heed::test::drawn_sample_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* scene = "shapes: ground 656176 noise 21 7; red circle ff0000 500 500 200 0";

/// It reads pictures and has no network: drawing asks for the fields alone.
TrainedModel reader_of_pictures() {
  TrainedModel trained = small_trained_model();
  FieldChoice choice;
  apply(choice, parse_json(R"({"source": {"kind": "picture", "side": 16}})", "test"));
  trained.fields.source = choice.made().source;
  return trained;
}

/// A caption of `words` words that never ended, over a grid of 2 × 2 cells.
Translation endless_caption(size_t words) {
  Translation caption;
  caption.text = "a a";
  caption.source = {"0,0", "0,1", "1,0", "1,1"};
  caption.grid = {2, 2};
  caption.target.assign(words, "a");
  caption.ids.assign(words, 3);
  caption.weights.assign(words, {0.25F, 0.25F, 0.25F, 0.25F});
  return caption;
}

struct Heard {
  std::vector<std::string> warnings;
  RunHooks hooks;
  Heard() {
    hooks.warn = [this](const std::string& warning) { warnings.push_back(warning); };
  }
};

size_t height_of_png(const std::string& png) {
  return static_cast<size_t>(
      decode_picture(std::span(reinterpret_cast<const uint8_t*>(png.data()), png.size()),
                     {.name = "png"})
          .height);
}

TEST(DrawnSample, CutsACaptionWithoutAnEnd) {
  const TrainedModel trained = reader_of_pictures();
  Heard heard;
  const Sample whole = drawn_sample(endless_caption(most_drawn_words), trained, scene, heard.hooks);
  // 20000 words in six columns would be 720,000 pixels high, far more than a PNG may have here.
  const Sample cut = drawn_sample(endless_caption(20000), trained, scene, heard.hooks);
  EXPECT_THAT(heard.warnings, IsEmpty());
  EXPECT_EQ(cut.output, "a a");
  EXPECT_EQ(cut.png, whole.png);
  EXPECT_EQ(cut.svg, whole.svg);
  // Under a title, the picture and sixty words are eleven rows of six tiles of 192 pixels, each with
  // its label.
  EXPECT_EQ(height_of_png(cut.png), 24 + 11 * (192 + 24) + 8);
  const Sample shorter = drawn_sample(endless_caption(5), trained, scene, heard.hooks);
  EXPECT_EQ(height_of_png(shorter.png), 24 + 192 + 24 + 8);
}

TEST(DrawnSample, CutsATranslationWithoutAnEnd) {
  const TrainedModel trained = small_trained_model();
  Translation endless;
  endless.source = {"a", "b", "</s>"};
  endless.source_ends = true;
  endless.target.assign(20000, "a");
  endless.ids.assign(20000, 3);
  endless.weights.assign(20000, {0.5F, 0.25F, 0.25F});
  Heard heard;
  const Sample sample = drawn_sample(endless, trained, "ab", heard.hooks);
  EXPECT_THAT(heard.warnings, IsEmpty());
  EXPECT_LT(height_of_png(sample.png), 5000U);
}

TEST(DrawnSample, SaysWhyThereIsNoDrawingAndGoesOn) {
  const TrainedModel trained = small_trained_model();
  Translation wide;
  wide.text = "b";
  wide.source.assign(50000, "a");  // a heat map of 50000 columns
  wide.target = {"b"};
  wide.ids = {4};
  wide.weights.assign(1, std::vector<float>(50000, 1e-4F));
  Heard heard;
  const Sample sample = drawn_sample(wide, trained, "a", heard.hooks);
  EXPECT_EQ(sample.output, "b");
  EXPECT_THAT(sample.svg, IsEmpty());
  EXPECT_THAT(sample.png, IsEmpty());
  EXPECT_THAT(heard.warnings, ElementsAre(HasSubstr("without its drawing")));
}

TEST(DrawnSample, WithoutWeightsIsTheTextAlone) {
  const TrainedModel trained = small_trained_model();
  Translation said;
  said.text = "b";
  Heard heard;
  const Sample sample = drawn_sample(said, trained, "a", heard.hooks);
  EXPECT_EQ(sample.output, "b");
  EXPECT_THAT(sample.svg, IsEmpty());
  EXPECT_THAT(heard.warnings, IsEmpty());
}

}  // namespace
}  // namespace heed::test::drawn_sample_test
