// What a request decodes counts as memory of its engine, and its deadline and stop reach it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sndfile.h>

#include "heed/api/engine.h"
#include "heed/model/file/model_file.h"
#include "tests/api/failure_of.h"
#include "tests/api/model_of_files.h"
#include "tests/base/scratch_directory.h"
#include "tests/media/made_pictures.h"
#include "tests/media/sound_bytes.h"

namespace heed::decoding_test {
namespace {

using test::failure_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

class OfFiles : public ::testing::Test {
 protected:
  LoadedModel hearing(const Engine& engine) const {
    const std::string path = scratch_ / "sound.safetensors";
    save_model(path, test::hearing_model());
    return engine.load(path);
  }
  std::string silence(double seconds, int32_t rate) const {
    const test::Bytes file =
        test::encoded(test::sine(0, rate, seconds), SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
    return {reinterpret_cast<const char*>(file.data()), file.size()};
  }

  ScratchDirectory scratch_;
};

TEST_F(OfFiles, ADeadlineIsLookedAtBeforeASourceIsDecoded) {
  const Engine engine;
  const LoadedModel model = hearing(engine);
  Request late{.sources = {"no recording"}, .options = {.settings = {{"max_length", 1}}}};
  EXPECT_THAT(failure_of([&] { model.translate(late); }), HasSubstr("recording: "));
  late.deadline = std::chrono::steady_clock::now();
  EXPECT_THAT(failure_of([&] { model.translate(late); }), HasSubstr("cancelled"));
  std::stop_source source;
  source.request_stop();
  Request stopped{.sources = {"no recording"}, .stop = source.get_token()};
  EXPECT_THAT(failure_of([&] { model.translate(stopped); }), HasSubstr("cancelled"));
}

TEST_F(OfFiles, OfALongRecordingOnePartAtATimeIsHeld) {
  const std::string file = silence(300, 48'000);
  const uint64_t samples = uint64_t{300} * 48'000 * sizeof(float);
  const Engine engine;
  const LoadedModel model = hearing(engine);
  const RequestOptions brief{.settings = {{"max_length", 1}}};
  const uint64_t before = engine.memory().in_use;
  model.translate({.sources = {file}, .options = brief});
  EXPECT_GT(engine.memory().peak, before + samples / 10) << "a part and its features are counted";
  EXPECT_LT(engine.memory().peak, before + samples) << "the whole recording was held";
  EXPECT_EQ(engine.memory().in_use, before);
}

TEST_F(OfFiles, AnErrorOfMemorySaysWhatHelps) {
  const std::string file = silence(20, 48'000);
  const Engine engine({.memory_limit = 2'000'000});
  const LoadedModel model = hearing(engine);
  const RequestOptions brief{.settings = {{"max_length", 1}}};
  EXPECT_THAT(failure_of([&] { model.translate({.sources = {file}, .options = brief}); }),
              AllOf(HasSubstr("1 sound: memory: "), HasSubstr("beyond the limit of 2 MB"),
                    HasSubstr("cut it, or search shorter parts (max_seconds)")));
  EXPECT_LE(engine.memory().peak, 2'000'000U);
}

TEST_F(OfFiles, PicturesCountAsWell) {
  const std::string picture = test::png_file(test::sloping(800, 600));
  const std::string path = scratch_ / "seeing.safetensors";
  save_model(path, test::seeing_model());
  const RequestOptions brief{.settings = {{"max_length", 1}}};
  const Engine wide;
  const uint64_t pixels = uint64_t{3} * 800 * 600;
  const LoadedModel seeing = wide.load(path);
  const uint64_t before = wide.memory().in_use;
  seeing.translate({.sources = {picture}, .options = brief});
  EXPECT_GT(wide.memory().peak, before + pixels);
  const Engine narrow({.memory_limit = 1'000'000});
  const LoadedModel peering = narrow.load(path);
  EXPECT_THAT(failure_of([&] { peering.translate({.sources = {picture}, .options = brief}); }),
              AllOf(HasSubstr("1 picture: memory: "), HasSubstr("make the picture smaller")));
}

}  // namespace
}  // namespace heed::decoding_test
