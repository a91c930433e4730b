// Decoding, resampling and resizing end when they are told to, and hold no more than their result and its source need.
#include <gtest/gtest.h>
#include <sndfile.h>

#include <functional>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/media/resample.h"
#include "heed/media/resize.h"
#include "heed/media/sound_features.h"
#include "heed/media/sound_file.h"
#include "tests/media/made_pictures.h"
#include "tests/media/sound_bytes.h"
#include "tests/support/counted_work.h"

namespace heed::bounded_decoding_test {
namespace {

struct Work {
  std::string name;
  std::function<void()> act;
};

std::vector<Work> all_kinds_of_work() {
  const auto flac = std::make_shared<test::Bytes>(
      test::encoded(test::sine(440, 16'000, 20), SF_FORMAT_FLAC | SF_FORMAT_PCM_16));
  const Sound sound = test::sine(440, 16'000, 20);
  const Picture picture = test::sloping(300, 200);
  const auto decoding = [](std::string file) {
    return [file = std::move(file)] { decode_picture(test::bytes_of(file)); };
  };
  const auto resizing = [picture](std::int32_t width, std::int32_t height) {
    return [=] { resized(picture, whole_of(picture), {width, height, Interpolation::bilinear}); };
  };
  return {{"decode_sound", [flac] { decode_sound(*flac, "tone"); }},
          {"sound_levels", [flac] { sound_levels(*flac, "tone"); }},
          {"resampled", [sound] { resampled(sound, 8000); }},
          {"features", [sound] { SoundFeatures(feature_preset("log_mel"))(sound.samples); }},
          {"png", decoding(test::png_file(picture))},
          {"interlaced png", decoding(test::png_file(picture, {.is_interlaced = true}))},
          {"jpeg", decoding(test::jpeg_file(picture))},
          {"progressive jpeg", decoding(test::jpeg_file(picture, {.is_progressive = true}))},
          {"turned jpeg", decoding(test::jpeg_file(picture, {.orientation = 6}))},
          {"rows first", resizing(40, 100)},
          {"columns first", resizing(290, 20)}};
}

TEST(BoundedDecoding, EndsWhenItIsToldTo) {
  for (const Work& work : all_kinds_of_work()) {
    test::CountedWork whole;
    {
      const UseAllowance use(whole);
      work.act();
    }
    const long asked = std::numeric_limits<long>::max() - whole.left();
    EXPECT_GE(asked, 4) << work.name << " never asks whether to go on";
    EXPECT_EQ(whole.held(), 0U) << work.name;
    EXPECT_GT(whole.most(), 0U) << work.name << " counts nothing";
    for (const long until : {0L, asked / 2, asked - 1}) {
      test::CountedWork cut(until);
      const UseAllowance use(cut);
      try {
        work.act();
        ADD_FAILURE() << work.name << " went on after question " << until << " of " << asked;
      } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::cancelled) << work.name << ": " << error.what();
      }
      EXPECT_EQ(cut.held(), 0U) << work.name;
    }
  }
}

TEST(BoundedDecoding, NoSideOfAPictureMakesResizingHoldMuch) {
  constexpr std::int32_t side = 256;
  for (const auto& [width, height] : {std::pair(1, 200'000), {200'000, 1}, {3, 90'000}}) {
    const Picture picture = plain_picture(width, height, 9);
    test::CountedWork work;
    const UseAllowance use(work);
    resized(picture, whole_of(picture), {side, side, Interpolation::bicubic});
    EXPECT_LE(work.most(), 3 * (picture.cells() + 2 * side * side)) << width << " × " << height;
  }
}

TEST(BoundedDecoding, LevelsOfHoursTakeLittle) {
  test::CountedWork work;
  const UseAllowance use(work);
  const test::Bytes wav = test::wav_of(std::vector<int16_t>(std::size_t{8000} * 120), 8000);
  const SoundLevels levels = sound_levels(wav, "silence");
  EXPECT_EQ(levels.power.size(), 12'000U);
  EXPECT_LE(work.most(), 2 * sizeof(float) * levels.power.size());
}

}  // namespace
}  // namespace heed::bounded_decoding_test
