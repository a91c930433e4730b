// What a T5 folder says beside its weights: whether the output is scaled and tied, names behind the pieces,
// tables with more rows than there are tokens, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/json_reader.h"
#include "heed/model/file/file_tensor.h"
#include "tests/import/changed_folder.h"

namespace heed::test::t5_test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string imported_fixtures = HEED_SOURCE_DIR "/tests/fixtures/imported/";
const Place quick{&forced("cpu"), DType::f32};

struct Output {
  double factor = 0;
  bool is_tied = false;

  bool operator==(const Output&) const = default;
};

Output output_of(const ChangedFolder& folder) {
  const Json config =
      parse_json(import_model(folder.path(), quick).contents.metadata.at("config"), "config");
  const JsonReader decoder = JsonReader(config, "config").at("decoder");
  return {decoder.at("output_factor").number(), decoder.at("tied").boolean()};
}

/// 1/√16 where the settings say that the output is the table, and so for each kind as transformers does.
TEST(T5Folder, TheOutputIsScaledWhereTheSettingsTieItAndTiedWhereTheWeightsDo) {
  const ChangedFolder first(imported_fixtures + "t5");
  EXPECT_EQ(output_of(first), (Output{0.25, true}));
  first.set("config.json", "scale_decoder_outputs", false);
  EXPECT_EQ(output_of(first), (Output{1, true}));
  first.set("config.json", "scale_decoder_outputs", Json());
  first.set("config.json", "tie_word_embeddings", false);
  EXPECT_EQ(output_of(first), (Output{1, true}));
  first.set("config.json", "tie_word_embeddings", Json());
  EXPECT_EQ(output_of(first), (Output{0.25, true}));

  for (const char* name : {"t5-v1_1", "umt5"}) {
    const ChangedFolder own(imported_fixtures + name);
    EXPECT_EQ(output_of(own), (Output{1, false})) << name;
    own.set("config.json", "tie_word_embeddings", true);
    EXPECT_EQ(output_of(own), (Output{0.25, false})) << name;
  }
  const ChangedFolder many(imported_fixtures + "mt5");
  EXPECT_EQ(output_of(many), (Output{1, false}));
  many.set("config.json", "tie_word_embeddings", true);
  EXPECT_THAT(many.refusal(), HasSubstr("tie_word_embeddings = true is not known"));
  many.set("config.json", "transformers_version", "5.23.0");
  EXPECT_EQ(output_of(many), (Output{1, false}));
}

TEST(T5Folder, EveryBlockHasTheNumbersOfTheFirstOrItsOwn) {
  const auto tables = [](const char* name) {
    std::vector<std::vector<float>> all;
    for (const FileTensor& tensor :
         import_model(imported_fixtures + name, quick).contents.tensors) {
      if (tensor.name.starts_with("encoder") && tensor.name.ends_with("focus.1.table")) {
        all.push_back(widened(tensor));
      }
    }
    return all;
  };
  ASSERT_EQ(tables("mt5").size(), 2U);
  EXPECT_EQ(tables("mt5")[0], tables("mt5")[1]);
  ASSERT_EQ(tables("umt5").size(), 2U);
  EXPECT_NE(tables("umt5")[0], tables("umt5")[1]);
}

/// 110 pieces, 5 names, and 3 rows of the table that nothing has.
TEST(T5Folder, NamesAreBehindThePiecesAndTheRestIsUnused) {
  const TrainedModel trained = load_any_model(imported_fixtures + "t5", quick);
  const Vocabulary& words = trained.fields.source->vocabulary();
  const auto size = static_cast<TokenId>(words.size());
  const TokenId last_name = size - 4;
  EXPECT_EQ(words.token(last_name), "<extra_id_0>");
  EXPECT_EQ(words.token(last_name - 4), "<extra_id_4>");
  EXPECT_EQ(words.encode("<extra_id_4>"), (std::vector<TokenId>{last_name - 4}));
  EXPECT_EQ(words.token(size - 1), fmt::format("<unused {}>", size - 1));
  const std::vector<TokenId> plain = words.encode(words.token(size - 1));
  EXPECT_EQ(std::count(plain.begin(), plain.end(), size - 1), 0);
  for (const char* name : {"</s>", "<pad>"}) {
    for (const TokenId id : words.encode(name)) {
      EXPECT_GT(id, 1) << name;  // text ends nothing
    }
  }
  EXPECT_EQ(words.decode(std::vector<TokenId>{last_name, size - 1, 1}), "<extra_id_0>");
}

TEST(T5Folder, NamesAreReadFromEveryFileThatMayHaveThem) {
  const auto name_of_last = [](const ChangedFolder& folder) {
    const TrainedModel trained = load_any_model(folder.path(), quick);
    const Vocabulary& words = trained.fields.source->vocabulary();
    return words.token(static_cast<TokenId>(words.size()) - 1);
  };
  const ChangedFolder folder(imported_fixtures + "t5");
  const auto last =
      import_model(folder.path(), quick).trained.fields.source->vocabulary().size() - 1;
  folder.set("tokenizer_config.json", "added_tokens_decoder",
             Json::object().set(std::to_string(last), Json::object().set("content", "{")));
  EXPECT_EQ(name_of_last(folder), "{");
  folder.write("added_tokens.json", fmt::format("{{\"<new>\": {}}}", last));
  EXPECT_THAT(folder.refusal(), HasSubstr("must be \"{\", as before"));
  folder.set("tokenizer_config.json", "added_tokens_decoder", Json());
  EXPECT_EQ(name_of_last(folder), "<new>");
  folder.write("added_tokens.json", "{\"<new>\": 7}");
  EXPECT_THAT(folder.refusal(), HasSubstr("call the piece 7"));
  fs::remove(folder.path() + "/added_tokens.json");
  fs::remove(folder.path() + "/tokenizer_config.json");  // 100 names: those that there is room for
  EXPECT_EQ(name_of_last(folder), "<extra_id_92>");
}

TEST(T5Folder, SaysWhichFileIsMissing) {
  const ChangedFolder folder(imported_fixtures + "t5");
  fs::remove(folder.path() + "/spiece.model");
  EXPECT_THAT(folder.refusal(), HasSubstr("there is no spiece.model"));
  fs::remove(folder.path() + "/model.safetensors");
  EXPECT_THAT(folder.refusal(), HasSubstr("none of model.safetensors"));
}

TEST(T5Folder, RefusesSettingsByTheirNames) {
  const std::tuple<const char*, const char*, Json, const char*> cases[] = {
      {"config.json", "rope_scaling", 2, "rope_scaling = 2 is not known"},
      {"config.json", "feed_forward_proj", "gated-maxout", "feed_forward_proj = \"gated-maxout\""},
      {"config.json", "feed_forward_proj", "gated-gelu", "dense_act_fn = \"relu\" is not known"},
      {"config.json", "is_gated_act", true, "is_gated_act = true is not known"},
      {"config.json", "hidden_size", 8, "hidden_size = 8 is not known"},
      {"config.json", "head_dim", 8, "head_dim = 8 is not known"},
      {"config.json", "d_model", 24, "[16, 16] of f32, not [16, 24]"},
      {"config.json", "d_kv", 5, "[16, 16] of f32, not [20, 16]"},
      {"config.json", "d_ff", 1 << 16, "not [65536, 16]"},
      {"config.json", "d_ff", -1, "d_ff"},
      {"config.json", "d_kv", 1 << 30, "d_kv"},
      {"config.json", "num_heads", 3, "not [12, 16]"},
      {"config.json", "num_layers", 3, "no tensor encoder.block.2.layer.0.SelfAttention.q.weight"},
      {"config.json", "relative_attention_num_buckets", 16, "[8, 4] of f32, not [16, 4]"},
      {"config.json", "relative_attention_max_distance", 4, "relative_attention_max_distance"},
      {"config.json", "vocab_size", 80, "not [80, 16]"},
      {"config.json", "vocab_size", 1 << 18, "not [262144, 16]"},
      {"config.json", "eos_token_id", 1 << 18, "eos_token_id"},
      {"config.json", "eos_token_id", 0, "eos_token_id = 1"},
      {"config.json", "is_decoder", true, "is_decoder = true"},
      {"generation_config.json", "repetition_penalty", 1.5, "repetition_penalty = 1.5"},
      {"tokenizer_config.json", "extra_ids", -1, "extra_ids"},
      {"tokenizer_config.json", "sp_model_kwargs", Json::object().set("alpha", 0.1),
       "sp_model_kwargs"},
      {"tokenizer_config.json", "added_tokens_decoder", Json::object().set("x", Json::object()),
       "the id of a token as its name"},
      {"tokenizer_config.json", "added_tokens_decoder", Json::array().push(1),
       "added_tokens_decoder"},
  };
  for (const auto& [file, key, value, part] : cases) {
    const ChangedFolder folder(imported_fixtures + "t5");
    folder.set(file, key, value);
    EXPECT_THAT(folder.refusal(), HasSubstr(part)) << key;
  }
}

TEST(T5Folder, RefusesFilesThatAreDamaged) {
  const auto refusal = [](const char* name, const std::string& text) {
    const ChangedFolder folder(imported_fixtures + "t5");
    folder.write(name, text);
    return folder.refusal();
  };
  EXPECT_NE(refusal("config.json", std::string(100'000, '[')), "accepted");
  EXPECT_NE(refusal("spiece.model", ""), "accepted");
  EXPECT_NE(refusal("spiece.model", "no pieces"), "accepted");
  EXPECT_THAT(refusal("spiece.model", read_file(imported_fixtures + "mt5/spiece.model")),
              HasSubstr("pieces, more than the 118 tokens of config.json"));
  EXPECT_NE(refusal("added_tokens.json", "[1]"), "accepted");
  EXPECT_NE(refusal("added_tokens.json", R"({"a": -1})"), "accepted");
  EXPECT_NE(refusal("added_tokens.json", R"({"": 117})"), "accepted");
  EXPECT_NE(refusal("tokenizer_config.json", "{"), "accepted");
}

}  // namespace
}  // namespace heed::test::t5_test
