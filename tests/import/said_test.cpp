// Imported models say in heed what they say in their own toolkit: the ids of texts, and log p of every
// token. The folders and said.json beside them are made by tools/fixtures/imported.py.
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/json_reader.h"
#include "heed/data/batch.h"
#include "heed/data/token_items.h"
#include "heed/import/families.h"
#include "heed/ops/gather.h"
#include "heed/ops/softmax.h"
#include "heed/tensor/tape.h"
#include "tests/import/changed_folder.h"

namespace heed::test::said_test {
namespace {

const std::string imported_fixtures = HEED_SOURCE_DIR "/tests/fixtures/imported/";
const Place exact{&forced("reference"), DType::f64};
const Place quick{&forced("cpu"), DType::f32};

std::vector<std::string> folders() { return list_directory(imported_fixtures); }

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

/// The table of positions that transformers computes for Marian is rounded to f32, so even f64 differs from
/// it by the seventh digit, which some weights enlarge.
class Imported : public ::testing::TestWithParam<std::string> {};

TEST_P(Imported, TextsHaveTheIdsAndTargetsTheProbabilitiesOfTransformers) {
  const std::string folder = imported_fixtures + GetParam();
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

TEST_P(Imported, TheWrittenFileIsTheSameModel) {
  const ScratchDirectory scratch;
  const std::string folder = imported_fixtures + GetParam();
  const ImportedModel imported = import_model(folder, quick);
  write_safetensors(scratch / "out.safetensors", imported.contents);
  const TrainedModel read = load_model(scratch / "out.safetensors", quick);
  EXPECT_EQ(read.about.at("imported"), imported.family);
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

INSTANTIATE_TEST_SUITE_P(Folders, Imported, ::testing::ValuesIn(folders()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(ImportedModels, EveryFamilyHasFolders) {
  std::vector<std::string> met;
  for (const std::string& folder : folders()) {
    met.push_back(import_model(imported_fixtures + folder, quick).family);
  }
  for (const auto& entry : families()) {
    EXPECT_NE(std::find(met.begin(), met.end(), entry.name), met.end()) << entry.name;
  }
}

}  // namespace
}  // namespace heed::test::said_test
