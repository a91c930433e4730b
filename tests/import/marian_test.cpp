// What a MarianMT folder says beside its weights, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import/changed_folder.h"

namespace heed::test::marian_test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string imported_fixtures = HEED_SOURCE_DIR "/tests/fixtures/imported/";
const Place quick{&forced("cpu"), DType::f32};

TEST(MarianFolder, SaysWhichFileIsMissing) {
  for (const char* name : {"config.json", "source.spm", "target.spm", "vocab.json"}) {
    const ChangedFolder folder(imported_fixtures + "marian");
    fs::remove(folder.path() + "/" + name);
    EXPECT_THAT(folder.refusal(), HasSubstr(std::string("there is no ") + name));
  }
  const ChangedFolder folder(imported_fixtures + "marian");
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
      {"config.json", "decoder_start_token_id", 0, "bad_words_ids[0]"},
      {"config.json", "quantization_config", Json::object().set("bits", 4), "quantization_config"},
      {"generation_config.json", "repetition_penalty", 1.5,
       "repetition_penalty = 1.5 is not known"},
      {"generation_config.json", "do_sample", true, "do_sample = true"},
      {"generation_config.json", "new_setting", 1, "new_setting = 1 is not known"},
      {"generation_config.json", "forced_eos_token_id", 5, "forced_eos_token_id = 5"},
      {"generation_config.json", "length_penalty", -1, "length_penalty"},
      {"generation_config.json", "suppress_tokens", Json::array().push(5), "suppress_tokens"},
      {"generation_config.json", "bad_words_ids", Json::array().push(Json::array().push(5)),
       "no other words can be closed"},
      {"vocab.json", "▁new", 117, "118 tokens, not the 117"},
      {"tokenizer_config.json", "unk_token", "<none>", "unknown is none"},
      {"tokenizer_config.json", "separate_vocabs", true, "there is no target_vocab.json"},
  };
  for (const auto& [file, key, value, part] : cases) {
    const ChangedFolder folder(imported_fixtures + "marian");
    folder.set(file, key, value);
    EXPECT_THAT(folder.refusal(), HasSubstr(part)) << key;
  }
}

TEST(MarianFolder, RefusesFilesThatAreDamaged) {
  const auto refusal = [](const char* name, const std::string& text) {
    const ChangedFolder folder(imported_fixtures + "marian");
    folder.write(name, text);
    return folder.refusal();
  };
  EXPECT_NE(refusal("config.json", std::string(100'000, '[')), "accepted");
  EXPECT_NE(refusal("config.json", ""), "accepted");
  EXPECT_NE(refusal("config.json", "[]"), "accepted");
  EXPECT_NE(refusal("vocab.json", "[]"), "accepted");
  EXPECT_NE(refusal("source.spm", "no pieces"), "accepted");
  EXPECT_THAT(refusal("model.safetensors", "\x80\x02N."), HasSubstr("none of the formats"));
  const ChangedFolder folder(imported_fixtures + "marian");
  folder.replace("vocab.json", "\"</s>\": 0", "\"</s>\": 1");
  EXPECT_THAT(folder.refusal(), HasSubstr("not one of its own from 0 to 116"));
}

TEST(MarianFolder, EndAndStartAreTwoTokens) {
  const ChangedFolder folder(imported_fixtures + "marian");
  fs::remove(folder.path() + "/generation_config.json");
  folder.set("config.json", "decoder_start_token_id", 0);
  EXPECT_THAT(folder.refusal(), HasSubstr("one token stands for two special ones"));
}

TEST(MarianFolder, AnIndexNamesFilesOfItsFolderOnly) {
  for (const char* file : {"../model.safetensors", "/etc/passwd", "", ".", "..",
                           "model.safetensors.index.json", "gone.safetensors"}) {
    const ChangedFolder folder(imported_fixtures + "marian");
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
  const ChangedFolder folder(imported_fixtures + "marian");
  folder.set("generation_config.json", "num_beams", 6);
  folder.set("generation_config.json", "length_penalty", 0.6);
  folder.set("generation_config.json", "early_stopping", true);
  folder.set("generation_config.json", "no_repeat_ngram_size", 3);
  folder.set("generation_config.json", "min_length", 5);
  const Json with = load_any_model(folder.path(), quick).search;
  EXPECT_EQ(with.write(),
            R"({"beam":6,"length_norm":"length","alpha":0.6,"no_repeat_ngram":3,"until":"full",)"
            R"("max_length":28,"max_length_factor":0,"max_length_margin":28,"min_length":4,)"
            R"("allow_unk":true})");
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
