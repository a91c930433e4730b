// MarianMT folders say in heed what they say in transformers: the ids of texts, and log p of every token.
// The folders and said.json beside them are made by tools/fixtures/imported.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

namespace heed::test::marian_test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string fixtures = HEED_SOURCE_DIR "/tests/fixtures/imported/";
const Place exact{&forced("reference"), DType::f64};
const Place quick{&forced("cpu"), DType::f32};

std::vector<std::string> folders() {
  std::vector<std::string> all = list_directory(fixtures);
  std::erase_if(all, [](const std::string& name) { return !name.starts_with("marian"); });
  return all;
}

std::vector<TokenId> ids_of(const JsonReader& list) {
  std::vector<TokenId> ids;
  for (const JsonReader& one : list.items()) {
    ids.push_back(static_cast<TokenId>(one.integer()));
  }
  return ids;
}

std::vector<double> log_probabilities(const TrainedModel& trained,
                                      const std::vector<TokenId>& source,
                                      const std::vector<TokenId>& target) {
  const NoGrad no_grad;
  const Model& model = *trained.model;
  const Batch batch =
      make_batch({trained.fields, {item_of(source)}, {item_of(target)}}, model.place());
  Pass pass = Pass::serving();
  return pick(log_softmax(model.teach(batch, {}, pass).logits), batch.target_out).values();
}

/// The table of positions that transformers computes is rounded to f32, so even f64 differs from it by the
/// seventh digit, which some weights enlarge.
class Marian : public ::testing::TestWithParam<std::string> {};

TEST_P(Marian, TextsHaveTheIdsAndTargetsTheProbabilitiesOfTransformers) {
  const std::string folder = fixtures + GetParam();
  const Json said = parse_json(read_file(folder + "/said.json"), "said.json");
  const TrainedModel trained = load_any_model(folder, exact);
  const TrainedModel rounded = load_any_model(folder, quick);
  int met = 0;
  for (const JsonReader& pair : JsonReader(said, "said.json").at("pairs").items()) {
    std::vector<TokenId> source =
        trained.fields.source->vocabulary().encode(pair.at("source").text());
    std::vector<TokenId> target =
        trained.fields.target->vocabulary().encode(pair.at("target").text());
    source.push_back(trained.fields.source->specials().end());
    target.push_back(trained.fields.target->specials().end());
    EXPECT_EQ(source, ids_of(pair.at("source_ids"))) << pair.at("source").text();
    EXPECT_EQ(target, ids_of(pair.at("target_ids"))) << pair.at("target").text();
    source.pop_back();
    target.pop_back();
    const std::vector<double> all = log_probabilities(trained, source, target);
    const std::vector<double> in_f32 = log_probabilities(rounded, source, target);
    const std::vector<JsonReader> expected = pair.at("log_p").items();
    ASSERT_EQ(all.size(), expected.size());
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_NEAR(all[i], expected[i].number(), 1e-5) << pair.at("target").text() << " " << i;
      EXPECT_NEAR(in_f32[i], expected[i].number(), 1e-4) << pair.at("target").text() << " " << i;
      ++met;
    }
  }
  EXPECT_GT(met, 30);
}

TEST_P(Marian, TheWrittenFileIsTheSameModel) {
  const ScratchDirectory scratch;
  const std::string folder = fixtures + GetParam();
  const ImportedModel imported = import_model(folder, quick);
  write_safetensors(scratch / "out.safetensors", imported.contents);
  const TrainedModel read = load_model(scratch / "out.safetensors", quick);
  EXPECT_EQ(read.about.at("imported"), "marian");
  EXPECT_EQ(read.about.at("licence"), "cc0-1.0");
  EXPECT_EQ(read.about.at("languages"), "en, fr");
  EXPECT_EQ(read.about.at("source_language"), "eng");
  EXPECT_EQ(read.about.at("sha256 of config.json").size(), 64U);
  EXPECT_EQ(read.search.write(), imported.trained.search.write());
  EXPECT_EQ(read.stored, imported.trained.stored);
  const std::vector<TokenId> source = {5, 6, 7};
  EXPECT_EQ(log_probabilities(read, source, {8, 9}),
            log_probabilities(imported.trained, source, {8, 9}));
}

INSTANTIATE_TEST_SUITE_P(Folders, Marian, ::testing::ValuesIn(folders()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// A copy of the first fixture with one file changed.
class ChangedFolder {
 public:
  ChangedFolder() { fs::copy(fixtures + "marian", path(), fs::copy_options::recursive); }
  std::string path() const { return scratch_ / "model"; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path() + "/" + name, std::ios::binary) << text;
  }
  std::string text(const std::string& name) const { return read_file(path() + "/" + name); }
  void replace(const std::string& name, const std::string& from, const std::string& to) const {
    std::string all = text(name);
    ASSERT_NE(all.find(from), std::string::npos) << from;
    write(name, all.replace(all.find(from), from.size(), to));
  }
  void set(const std::string& name, const std::string& key, const Json& value) const {
    Json all = parse_json(text(name), name);
    write(name, all.set(key, value).write());
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

TEST(MarianFolder, SaysWhichFileIsMissing) {
  for (const char* name : {"config.json", "source.spm", "target.spm", "vocab.json"}) {
    const ChangedFolder folder;
    fs::remove(folder.path() + "/" + name);
    EXPECT_THAT(folder.refusal(), HasSubstr(std::string("there is no ") + name));
  }
  const ChangedFolder folder;
  fs::remove(folder.path() + "/model.safetensors");
  EXPECT_THAT(folder.refusal(),
              HasSubstr("none of model.safetensors, model.safetensors.index.json"));
}

TEST(MarianFolder, RefusesSettingsByTheirNames) {
  const std::tuple<const char*, const char*, Json, const char*> cases[] = {
      {"config.json", "rope_scaling", 2, "rope_scaling = 2 is not known"},
      {"config.json", "normalize_before", true, "normalize_before = true is not known"},
      {"config.json", "activation_function", "gelu_fast", "activation_function = \"gelu_fast\""},
      {"config.json", "model_type", "bart", "models of the kind \"bart\" cannot be imported"},
      {"config.json", "d_model", 24, "[16, 16] of f32, not [24, 24]"},
      {"config.json", "d_model", -1, "d_model"},
      {"config.json", "encoder_attention_heads", 3, "3 heads cannot share"},
      {"config.json", "encoder_layers", 3, "no tensor model.encoder.layers.2.self_attn.q_proj"},
      {"config.json", "encoder_layers", 1 << 30, "encoder_layers"},
      {"config.json", "vocab_size", 118, "117 tokens, not the 118 of config.json"},
      {"config.json", "pad_token_id", 117, "pad_token_id"},
      {"config.json", "decoder_start_token_id", 0, "bad_words_ids = [[116]] is not known"},
      {"config.json", "quantization_config", Json::object().set("bits", 4), "quantization_config"},
      {"generation_config.json", "repetition_penalty", 1.5,
       "repetition_penalty = 1.5 is not known"},
      {"generation_config.json", "do_sample", true, "do_sample = true"},
      {"generation_config.json", "new_setting", 1, "new_setting = 1 is not known"},
      {"generation_config.json", "forced_eos_token_id", 5, "forced_eos_token_id = 5"},
      {"generation_config.json", "length_penalty", -1, "length_penalty"},
      {"generation_config.json", "suppress_tokens", Json::array().push(-1), "suppress_tokens[0]"},
      {"generation_config.json", "bad_words_ids", Json::array().push(Json::array().push(5)),
       "no other words can be closed"},
      {"vocab.json", "▁new", 117, "118 tokens, not the 117"},
      {"tokenizer_config.json", "unk_token", "<none>", "unknown is none"},
      {"tokenizer_config.json", "separate_vocabs", true, "there is no target_vocab.json"},
  };
  for (const auto& [file, key, value, part] : cases) {
    const ChangedFolder folder;
    folder.set(file, key, value);
    EXPECT_THAT(folder.refusal(), HasSubstr(part)) << key;
  }
}

TEST(MarianFolder, RefusesFilesThatAreDamaged) {
  const auto refusal = [](const char* name, const std::string& text) {
    const ChangedFolder folder;
    folder.write(name, text);
    return folder.refusal();
  };
  EXPECT_NE(refusal("config.json", std::string(100'000, '[')), "accepted");
  EXPECT_NE(refusal("config.json", ""), "accepted");
  EXPECT_NE(refusal("config.json", "[]"), "accepted");
  EXPECT_NE(refusal("vocab.json", "[]"), "accepted");
  EXPECT_NE(refusal("source.spm", "no pieces"), "accepted");
  EXPECT_THAT(refusal("model.safetensors", "\x80\x02N."), HasSubstr("none of the formats"));
  const ChangedFolder folder;
  folder.replace("vocab.json", "\"</s>\": 0", "\"</s>\": 1");
  EXPECT_THAT(folder.refusal(), HasSubstr("not one of its own from 0 to 116"));
}

TEST(MarianFolder, EndAndStartMayBeOneToken) {
  const ChangedFolder folder;
  fs::remove(folder.path() + "/generation_config.json");
  folder.set("config.json", "decoder_start_token_id", 0);
  const SpecialTokens specials =
      load_any_model(folder.path(), quick).fields.target->vocabulary().specials();
  EXPECT_EQ(specials.start(), 0);
  EXPECT_EQ(specials.end(), 0);
  EXPECT_EQ(specials.suppressed(), std::vector<TokenId>{});
}

TEST(MarianFolder, AnIndexNamesFilesOfItsFolderOnly) {
  for (const char* file : {"../model.safetensors", "/etc/passwd", "", ".", "..",
                           "model.safetensors.index.json", "gone.safetensors"}) {
    const ChangedFolder folder;
    fs::rename(folder.path() + "/model.safetensors", folder.path() + "/other.safetensors");
    folder.write(
        "model.safetensors.index.json",
        Json::object().set("weight_map", Json::object().set("model.shared.weight", file)).write());
    EXPECT_THAT(folder.refusal(), ::testing::AnyOf(HasSubstr("which is no file of this folder"),
                                                   HasSubstr("there is no gone.safetensors")));
  }
}

/// What generate() would do is in the file, for every program that searches with it.
TEST(MarianFolder, GenerationSettingsAreThoseOfTheSearch) {
  const ChangedFolder folder;
  folder.set("generation_config.json", "num_beams", 6);
  folder.set("generation_config.json", "length_penalty", 0.6);
  folder.set("generation_config.json", "early_stopping", true);
  folder.set("generation_config.json", "no_repeat_ngram_size", 3);
  folder.set("generation_config.json", "min_length", 5);
  folder.set("generation_config.json", "suppress_tokens", Json::array().push(7).push(9));
  folder.set("generation_config.json", "begin_suppress_tokens", Json::array().push(8));
  const Json with = load_any_model(folder.path(), quick).search;
  EXPECT_EQ(with.write(),
            R"({"beam":6,"length_norm":"length","alpha":0.6,"no_repeat_ngram":3,"until":"full",)"
            R"("max_length":28,"max_length_factor":0,"max_length_margin":28,"min_length":4,)"
            R"("closed":[7,9],"closed_first":[8],"allow_unk":true})");
  // Older folders have them in config.json.
  fs::remove(folder.path() + "/generation_config.json");
  folder.set("config.json", "num_beams", 3);
  folder.set("config.json", "max_length", 40);
  folder.set("config.json", "forced_eos_token_id", Json());
  EXPECT_EQ(load_any_model(folder.path(), quick).search.write(),
            R"({"beam":3,"length_norm":"length","alpha":1.0,"no_repeat_ngram":0,)"
            R"("until":"settled","max_length":39,"max_length_factor":0,"max_length_margin":39,)"
            R"("min_length":0,"allow_unk":true})");
}

}  // namespace
}  // namespace heed::test::marian_test
