#include "heed/engine/run/drawn_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/data/fields.h"
#include "heed/media/decode_picture.h"
#include "tests/engine/matrix_of.h"
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
Reply endless_caption(size_t words) {
  Reply caption;
  caption.text = "a a";
  Seen& seen = caption.seen.emplace();
  seen.columns = {"0,0", "0,1", "1,0", "1,1"};
  seen.grid = {2, 2};
  seen.rows.assign(words, "a");
  caption.ids.assign(words, 3);
  seen.weights = {4, std::vector<float>(4 * words, 0.25F)};
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
  Reply endless;
  Seen& seen = endless.seen.emplace();
  seen.columns = {"a", "b", "</s>"};
  seen.columns_end = true;
  seen.rows.assign(20000, "a");
  endless.ids.assign(20000, 3);
  seen.weights = matrix_of(std::vector<std::vector<float>>(20000, {0.5F, 0.25F, 0.25F}));
  Heard heard;
  const Sample sample = drawn_sample(endless, trained, "ab", heard.hooks);
  EXPECT_THAT(heard.warnings, IsEmpty());
  EXPECT_LT(height_of_png(sample.png), 5000U);
}

TEST(DrawnSample, SaysWhyThereIsNoDrawingAndGoesOn) {
  const TrainedModel trained = small_trained_model();
  Reply wide;
  wide.text = "b";
  Seen& seen = wide.seen.emplace();
  seen.columns.assign(50000, "a");  // a heat map of 50000 columns
  seen.rows = {"b"};
  wide.ids = {4};
  seen.weights = {50000, std::vector<float>(50000, 1e-4F)};
  Heard heard;
  const Sample sample = drawn_sample(wide, trained, "a", heard.hooks);
  EXPECT_EQ(sample.output, "b");
  EXPECT_THAT(sample.svg, IsEmpty());
  EXPECT_THAT(sample.png, IsEmpty());
  EXPECT_THAT(heard.warnings, ElementsAre(HasSubstr("without its drawing")));
}

TEST(DrawnSample, WithoutWeightsIsTheTextAlone) {
  const TrainedModel trained = small_trained_model();
  Reply said;
  said.text = "b";
  Heard heard;
  const Sample sample = drawn_sample(said, trained, "a", heard.hooks);
  EXPECT_EQ(sample.output, "b");
  EXPECT_THAT(sample.svg, IsEmpty());
  EXPECT_THAT(heard.warnings, IsEmpty());
}

}  // namespace
}  // namespace heed::test::drawn_sample_test
