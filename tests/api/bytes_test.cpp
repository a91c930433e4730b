// A request holds bytes: what is in them is answered, and no string of it is the name of a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sndfile.h>

#include "heed/api/engine.h"
#include "heed/base/atomic_file.h"
#include "heed/base/file.h"
#include "heed/engine/answer/answer.h"
#include "heed/nn/precision.h"
#include "tests/api/model_of_files.h"
#include "tests/base/scratch_directory.h"
#include "tests/engine/small_language_model.h"
#include "tests/media/made_pictures.h"
#include "tests/media/sound_bytes.h"

namespace heed::bytes_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string wav(double seconds) {
  const test::Bytes file =
      test::encoded(test::sine(440, 8000, seconds), SF_FORMAT_WAV | SF_FORMAT_PCM_16);
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

/// An .npy file of rows of two numbers.
std::string npy() {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
  header.append(64 - (header.size() + 11) % 64, ' ');
  header += '\n';
  const std::vector<float> numbers = {0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F};
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  return bytes;
}

struct Kind {
  const char* name;
  TrainedModel trained;
  std::string file;   // its name, in which the bytes of a source are
  std::string bytes;  // a source
  bool reads_text = false;
};

class Bytes : public ::testing::Test {
 protected:
  LoadedModel loaded(const TrainedModel& trained) const {
    const std::string path = scratch_ / "model.safetensors";
    save_model(path, trained);
    return engine_.load(path);
  }
  std::vector<Kind> kinds() const {
    std::vector<Kind> all;
    all.push_back({"text", test::small_trained_model(), scratch_ / "a", "abc", true});
    all.push_back(
        {"language", test::small_language_model("transformer"), scratch_ / "b", "ab", true});
    all.push_back({"sound", test::hearing_model(), scratch_ / "c.wav", wav(0.5)});
    all.push_back({"picture", test::seeing_model(), scratch_ / "d.png",
                   test::png_file(test::sloping(40, 30))});
    all.push_back({"numbers", test::counting_model("numbers"), scratch_ / "e.npy", npy()});
    all.push_back({"npy", test::counting_model("npy"), scratch_ / "f.npy", npy()});
    all.push_back({"range", test::counting_model("range"), scratch_ / "g.npy", npy()});
    for (const Kind& kind : all) {
      write_atomically(kind.file, kind.bytes);
    }
    return all;
  }
  /// What might be taken for the name of this file.
  std::vector<std::string> names(const std::string& file) const {
    write_atomically(scratch_ / "pictures.tar", "no archive");
    return {file,
            file + ":0:1",
            file + "\t0\t1",
            file + "\t0\t1\tspeaker",
            "-",
            "/dev/stdin",
            "file://" + file,
            "$RECIPE/a.png",
            scratch_ / "pictures.tar#d.png",
            scratch_ / "missing.npy"};
  }

  ScratchDirectory scratch_;
  Engine engine_;
};

TEST_F(Bytes, AreAnsweredAsTheFileIs) {
  const RequestOptions brief{.n_best = 2, .weights = true, .settings = {{"max_length", 6}}};
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    AnswerOptions how;
    how.search.n_best = how.search.beam = 2;
    how.search.max_length = 6;
    how.search.weights = true;
    const std::string cell = kind.reads_text ? kind.bytes : kind.file;
    const LoadedModel model = loaded(kind.trained);
    const TrainedModel same = load_model(scratch_ / "model.safetensors", place_on("cpu"));
    serve(*same.model, Precision::f32);  // as an engine does
    const Reply expected = answer(same, {&cell, 1}, how).front().front();
    const Output output =
        model.translate({.sources = {kind.bytes}, .options = brief}).front().best();
    EXPECT_EQ(output.text, expected.text);
    EXPECT_EQ(output.score, expected.score);
    EXPECT_EQ(output.source, expected.looked().columns);
  }
}

TEST_F(Bytes, AreNeverTheNameOfAFile) {
  const RequestOptions brief{.settings = {{"max_length", 4}}};
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const LoadedModel model = loaded(kind.trained);
    for (const std::string& name : names(kind.file)) {
      SCOPED_TRACE(name);
      if (kind.reads_text) {
        EXPECT_EQ(model.translate({.sources = {name}, .options = brief}).size(), 1U);
        continue;
      }
      for (const auto& ask : std::vector<std::function<void()>>{
               [&] { model.translate({.sources = {name}, .options = brief}); },
               [&] { model.align(name, "ab"); }, [&] { model.log_probability(name, "ab"); }}) {
        try {
          ask();
          ADD_FAILURE() << "the bytes were taken for a name";
        } catch (const Error& error) {
          EXPECT_EQ(error.fault(), Fault::file);
          EXPECT_THAT(error.what(), Not(HasSubstr("o such file")));
        }
      }
    }
  }
}

/// A long recording is cut at the same places, whether it is a file or bytes.
TEST_F(Bytes, OfALongRecordingAreCutAsTheFileIs) {
  const TrainedModel trained = test::hearing_model();
  const std::string path = scratch_ / "long.wav";
  const std::string bytes = wav(7);
  write_atomically(path, bytes);
  AnswerOptions how;
  how.search.max_length = 4;
  how.search.weights = true;
  how.max_seconds = 2;
  const Seen expected = answer(trained, {&path, 1}, how).front().front().looked();
  ASSERT_GT(expected.parts.size(), 1U);
  const Source source = Source::of_bytes(bytes);
  const TrainedModel* const models[] = {&trained};
  const Seen seen = answer(models, {&source, 1}, how).front().front().looked();
  EXPECT_EQ(seen.seconds, expected.seconds);
  EXPECT_EQ(seen.parts, expected.parts);
  EXPECT_EQ(seen.weights.values, expected.weights.values);
}

}  // namespace
}  // namespace heed::bytes_test
