// Whisper folders say in heed what they say in transformers: the ids of texts, and log p of every
// token after what was heard. The folders and said.json beside them are made by tools/fixtures/imported.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json_reader.h"
#include "heed/data/batch.h"
#include "heed/data/token_items.h"
#include "heed/import/import.h"
#include "heed/ops/gather.h"
#include "heed/ops/softmax.h"
#include "heed/tensor/tape.h"
#include "tests/base/scratch_directory.h"
#include "tests/support/backends.h"

namespace heed::test::whisper_test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string fixtures = HEED_SOURCE_DIR "/tests/fixtures/imported/";
const Place exact{&forced("reference"), DType::f64};
const Place quick{&forced("cpu"), DType::f32};

/// A WAV file of a sound of tools/fixtures/made_sounds.py.
std::string wav_of(uint32_t seed, int64_t count) {
  std::string bytes;
  const auto add = [&bytes](uint32_t number, int size) {
    for (int i = 0; i < size; ++i) {
      bytes += static_cast<char>(number >> (8 * i) & 0xFF);
    }
  };
  const auto data = static_cast<uint32_t>(2 * count);
  bytes += "RIFF";
  add(36 + data, 4);
  bytes += "WAVEfmt ";
  add(16, 4);
  add(1, 2);
  add(1, 2);
  add(16'000, 4);
  add(32'000, 4);
  add(2, 2);
  add(16, 2);
  bytes += "data";
  add(data, 4);
  uint32_t state = seed;
  int64_t level = 0;
  const auto floored = [](int64_t number, int64_t by) {
    return (number - (number % by + by) % by) / by;
  };
  for (int64_t n = 0; n < count; ++n) {
    state = state * 1664525U + 1013904223U;
    level = floored(level * 7 + (state >> 16) - 32'768, 8);
    const int64_t swell = 200 + std::abs(n % 1600 - 800);
    const int64_t tone = n / (4 + 3 * (seed % 9)) % 2 == 1 ? 6000 : -6000;
    add(static_cast<uint32_t>(floored(level * swell, 1000) + tone), 2);
  }
  return bytes;
}

std::vector<TokenId> ids_of(const JsonReader& list) {
  std::vector<TokenId> ids;
  for (const JsonReader& one : list.items()) {
    ids.push_back(static_cast<TokenId>(one.integer()));
  }
  return ids;
}

std::vector<double> log_probabilities(const TrainedModel& trained, const std::string& sound,
                                      const std::vector<TokenId>& target) {
  const NoGrad no_grad;
  const Model& model = *trained.model;
  const Field& source = *trained.fields.source;
  const Batch batch =
      make_batch({trained.fields, {source.prepared(source.read(sound), {})}, {item_of(target)}},
                 model.place());
  Pass pass = Pass::serving();
  return pick(log_softmax(model.teach(batch, {}, pass).logits), batch.target_out).values();
}

class Whispers : public ::testing::TestWithParam<std::string> {};

TEST_P(Whispers, TextsHaveTheIdsAndTokensTheProbabilitiesOfTransformers) {
  const ScratchDirectory scratch;
  const std::string folder = fixtures + GetParam();
  const Json said = parse_json(read_file(folder + "/said.json"), "said.json");
  const TrainedModel trained = load_any_model(folder, exact);
  const TrainedModel rounded = load_any_model(folder, quick);
  const Vocabulary& vocabulary = trained.fields.target->vocabulary();
  int met = 0;
  for (const JsonReader& pair : JsonReader(said, "said.json").at("pairs").items()) {
    const std::string target = pair.at("target").text();
    const std::vector<TokenId> expected_ids = ids_of(pair.at("target_ids"));
    std::vector<TokenId> ids(expected_ids.begin(), expected_ids.end() - 1);
    // A name in front of a text eats the blanks behind it, which Whisper keeps.
    const bool keeps_blanks = target.find("|>  ") != std::string::npos;
    if (!keeps_blanks) {
      EXPECT_EQ(vocabulary.encode(target), ids) << target;
    }
    const auto samples = pair.at("sound").items();
    const std::string sound = scratch / fmt::format("{}.wav", samples[0].integer());
    std::ofstream(sound, std::ios::binary)
        << wav_of(static_cast<uint32_t>(samples[0].integer()), samples[1].integer());
    const std::vector<double> all = log_probabilities(trained, sound, ids);
    const std::vector<double> in_f32 = log_probabilities(rounded, sound, ids);
    const std::vector<JsonReader> expected = pair.at("log_p").items();
    ASSERT_EQ(all.size(), expected.size());
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_NEAR(all[i], expected[i].number(), 1e-4) << target << " " << i;
      EXPECT_NEAR(in_f32[i], expected[i].number(), 1e-4) << target << " " << i;
      ++met;
    }
  }
  EXPECT_GT(met, 100);
}

TEST_P(Whispers, TheWrittenFileIsTheSameModel) {
  const ScratchDirectory scratch;
  const std::string folder = fixtures + GetParam();
  std::ofstream(scratch / "sound.wav", std::ios::binary) << wav_of(3, 9000);
  const ImportedModel imported = import_model(folder, quick);
  write_safetensors(scratch / "out.safetensors", imported.contents);
  const TrainedModel read = load_model(scratch / "out.safetensors", quick);
  EXPECT_EQ(read.about.at("imported"), "whisper");
  EXPECT_EQ(read.about.at("licence"), "cc0-1.0");
  EXPECT_EQ(read.search.write(), imported.trained.search.write());
  EXPECT_EQ(read.fields.target->vocabulary().to_bytes(),
            imported.trained.fields.target->vocabulary().to_bytes());
  EXPECT_EQ(log_probabilities(read, scratch / "sound.wav", {8, 9}),
            log_probabilities(imported.trained, scratch / "sound.wav", {8, 9}));
}

INSTANTIATE_TEST_SUITE_P(Folders, Whispers, ::testing::Values("whisper", "whisper-whole"),
                         [](const auto& info) {
                           return std::string(info.index == 0 ? "Parts" : "Whole");
                         });

/// A copy of a folder, in which something is not as it was.
class ChangedWhisper {
 public:
  explicit ChangedWhisper(const char* of = "whisper") {
    fs::copy(fixtures + of, path(), fs::copy_options::recursive);
  }
  std::string path() const { return scratch_ / "model"; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path() + "/" + name, std::ios::binary) << text;
  }
  void set(const std::string& name, const std::string& key, Json value) const {
    Json all = parse_json(read_file(path() + "/" + name), name);
    write(name, all.set(key, std::move(value)).write());
  }
  Json search() const { return load_any_model(path(), quick).search; }
  std::string start() const {
    const Json all = search();
    return JsonReader(all, "search").at("start").text();
  }
  std::string refusal() const {
    try {
      load_any_model(path(), quick);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::file) << error.what();
      return error.what();
    }
    return "accepted";
  }

 private:
  ScratchDirectory scratch_;
};

TEST(WhisperFolder, GenerationSettingsAreThoseOfTheSearch) {
  const ChangedWhisper folder;
  EXPECT_EQ(folder.search().write(),
            R"({"beam":1,"length_norm":"length","alpha":1.0,"no_repeat_ngram":0,)"
            R"("until":"settled","max_length":24,"max_length_factor":0,"max_length_margin":24,)"
            R"("min_length":0,"closed":[5,17,60,70,297,303,304,305],"closed_first":[295,296],)"
            R"("allow_unk":true,)"
            R"("start":"<|en|>/<|fr|>/<|de|><|transcribe|><|notimestamps|>"})");
  folder.set("generation_config.json", "max_length", 448);
  const Json longest = folder.search();  // 40 positions, of which the start has 4
  EXPECT_EQ(JsonReader(longest, "search").at("max_length").integer(), 36);
}

TEST(WhisperFolder, StartIsThatOfGenerate) {
  const auto start = [](const std::vector<std::pair<const char*, Json>>& settings) {
    const ChangedWhisper folder;
    for (const auto& [key, value] : settings) {
      folder.set("generation_config.json", key, value);
    }
    return folder.start();
  };
  const Json none;
  EXPECT_EQ(start({{"language", "fr"}}), "<|fr|><|transcribe|><|notimestamps|>");
  EXPECT_EQ(start({{"language", "<|de|>"}, {"task", "translate"}}),
            "<|de|><|translate|><|notimestamps|>");
  EXPECT_EQ(start({{"task", "translate"}}), "<|en|>/<|fr|>/<|de|><|translate|><|notimestamps|>");
  // Without these ids generate() says no task, and heed says what it says.
  EXPECT_EQ(start({{"forced_decoder_ids", none}}), "<|en|>/<|fr|>/<|de|><|notimestamps|>");
  const Json forced = parse_json("[[1, 299], [2, 301]]", "ids");
  EXPECT_EQ(start({{"forced_decoder_ids", forced}}), "<|fr|><|translate|><|notimestamps|>");
  const ChangedWhisper english("whisper-whole");
  EXPECT_EQ(english.start(), "<|notimestamps|>");
}

TEST(WhisperFolder, RefusesSettingsByTheirNames) {
  const std::tuple<const char*, const char*, Json, const char*> cases[] = {
      {"config.json", "rope_scaling", 2, "rope_scaling = 2 is not known"},
      {"config.json", "scale_embedding", true, "scale_embedding = true is not known"},
      {"config.json", "tie_word_embeddings", false, "tie_word_embeddings = false is not known"},
      {"config.json", "d_model", 24, "of f32, not [24"},
      {"config.json", "num_mel_bins", 128, "feature_size = 80"},
      {"config.json", "max_source_positions", 1500, "1500 positions, and 1 seconds have 50"},
      {"config.json", "vocab_size", 400, "400"},
      {"config.json", "vocab_size", 300, "not one of its own from 0 to 299"},
      {"config.json", "decoder_start_token_id", 400, "decoder_start_token_id"},
      {"preprocessor_config.json", "n_fft", 512, "n_fft = 512 is not known"},
      {"preprocessor_config.json", "dither", 0.1, "dither = 0.1 is not known"},
      {"preprocessor_config.json", "new", 1, "new = 1 is not known"},
      {"generation_config.json", "return_timestamps", true, "return_timestamps = true"},
      {"generation_config.json", "new_setting", 1, "new_setting = 1 is not known"},
      {"generation_config.json", "language", "xx", "there is no token <|xx|>"},
      {"generation_config.json", "no_timestamps_token_id", 7, "the number of an added token"},
      {"generation_config.json", "suppress_tokens", Json::array().push(-1), "suppress_tokens[0]"},
      {"generation_config.json", "forced_decoder_ids",
       Json::array().push(Json::array().push(2).push(299)), "the place 1 and a token"},
      {"vocab.json", "Ġthe", 400, "\"Ġthe\" has the id 400"},
      {"added_tokens.json", "<|en|>", 5, "\"<|en|>\" has the id 5"},
  };
  for (const auto& [file, key, value, part] : cases) {
    const ChangedWhisper folder;
    folder.set(file, key, value);
    if (std::string(part) == "400") {
      EXPECT_NE(folder.refusal(), "accepted") << key;
      continue;
    }
    EXPECT_THAT(folder.refusal(), HasSubstr(part)) << key;
  }
}

TEST(WhisperFolder, RefusesFilesThatAreMissingOrDamaged) {
  for (const char* name : {"vocab.json", "merges.txt", "generation_config.json", "config.json"}) {
    const ChangedWhisper folder;
    fs::remove(folder.path() + "/" + name);
    EXPECT_THAT(folder.refusal(), HasSubstr("there is no ")) << name;
  }
  const auto refusal = [](const char* name, const std::string& text, const char* of = "whisper") {
    const ChangedWhisper folder(of);
    folder.write(name, text);
    return folder.refusal();
  };
  EXPECT_THAT(refusal("merges.txt", "#version: 0.2\nt h\nzz z\n"), HasSubstr("merge"));
  EXPECT_THAT(refusal("merges.txt", std::string("\0\xFF z\n", 6)), HasSubstr("merge"));
  EXPECT_THAT(refusal("vocab.json", "{\"a\": 0}"), HasSubstr("has no token"));
  EXPECT_THAT(refusal("vocab.json", "[]"), HasSubstr("a table of tokens and ids"));
  for (const char* text : {"", "[]", "{}", "{\"model\": 1}"}) {
    EXPECT_NE(refusal("tokenizer.json", text, "whisper-whole"), "accepted") << text;
  }
  const std::tuple<const char*, Json, const char*> steps[] = {
      {"normalizer", Json::object().set("type", "NFC"),
       "normalizer = {\"type\":\"NFC\"} is not known"},
      {"pre_tokenizer", Json::object().set("type", "Whitespace"), "type = \"Whitespace\""},
      {"pre_tokenizer", Json::object().set("type", "ByteLevel").set("add_prefix_space", true),
       "add_prefix_space = true"},
      {"decoder", Json(), "there is no decoder"},
      {"model", Json::object().set("type", "WordPiece"), "type = \"WordPiece\""},
      {"model", Json::object().set("type", "BPE").set("byte_fallback", true), "byte_fallback"},
      {"surprise", 1, "surprise = 1"},
  };
  for (const auto& [key, value, part] : steps) {
    const ChangedWhisper folder("whisper-whole");
    folder.set("tokenizer.json", key, value);
    EXPECT_THAT(folder.refusal(), HasSubstr(part)) << key;
  }
}

}  // namespace
}  // namespace heed::test::whisper_test
