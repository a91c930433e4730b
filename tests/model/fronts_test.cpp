#include "heed/model/fronts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/data/fields.h"
#include "heed/model/encoders.h"
#include "heed/model/model.h"
#include "heed/tensor/tape.h"
#include "tests/support/backends.h"

namespace heed::fronts_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Place here() { return {&test::forced("reference"), DType::f64}; }

std::unique_ptr<Front> front(const std::string& kind, const std::string& settings) {
  auto made = make_part(fronts(), kind);
  apply(*made, parse_json(settings, "test"));
  return made;
}

FieldRows rows_of(const std::vector<double>& numbers, int64_t width,
                  const std::vector<int32_t>& lengths) {
  return {Tensor::of(numbers, {static_cast<int64_t>(numbers.size()) / width, width}, here()),
          Layout::packed(lengths, here())};
}

FieldRows run(Front& part, const FieldRows& source, int64_t width) {
  const NoGrad no_grad;
  Init init(here(), 1);
  part.build({RowForm::numbers(source.values.size(1)), width, false, nullptr}, init);
  Pass pass = Pass::serving();
  return part(source, pass);
}

TEST(Frames, StackAndPassOverRows) {
  const auto part =
      front("frames", R"({"normalise": false, "project": false, "stack": 2, "stride": 3})");
  const FieldRows seen = run(*part, rows_of({1, 2, 3, 4, 5, 6, 7}, 1, {5, 2}), 9);
  EXPECT_EQ(part->width({RowForm::numbers(1), 9, false, nullptr}), 2);
  EXPECT_EQ(part->stride(), 3);
  EXPECT_THAT(seen.layout.lengths(), ElementsAre(2, 1));
  EXPECT_EQ(seen.values.shape(), (Shape{3, 2}));
  EXPECT_THAT(seen.values.values(), ElementsAre(1, 2, 4, 5, 6, 7));
  const auto ends =
      front("frames", R"({"normalise": false, "project": false, "stack": 3, "stride": 2})");
  EXPECT_THAT(run(*ends, rows_of({1, 2, 3}, 1, {3}), 9).values.values(),
              ElementsAre(1, 2, 3, 3, 0, 0));
}

TEST(Frames, NormaliseEachSequenceByItself) {
  const auto part = front("frames", R"({"project": false})");
  const auto seen =
      run(*part, rows_of({1, 10, 3, 10, 100, 0, 104, 6}, 2, {2, 2}), 9).values.values();
  // Of 1 and 3 the mean is 2 and the variance 1; of 10 and 10 the variance is 0.
  const std::vector<double> expected = {-1, 0, 1, 0, -1, -1, 1, 1};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(seen[i], expected[i], 1e-4) << i;
  }
}

TEST(Frames, ProjectToTheWidthAskedFor) {
  const auto part = front("frames", R"({"normalise": false, "stack": 2, "stride": 2})");
  const FieldRows source = rows_of({1, 2, 3, 4}, 1, {4});
  const FieldRows seen = run(*part, source, 3);
  EXPECT_EQ(seen.values.shape(), (Shape{2, 3}));
  const auto weight = parameter_named(part->layers(), "weight").values();  // [3, 2]
  EXPECT_NEAR(seen.values.values()[1], weight[2] * 1 + weight[3] * 2, 1e-12);
  EXPECT_NEAR(seen.values.values()[5], weight[4] * 3 + weight[5] * 4, 1e-12);
}

TEST(Fronts, RefuseFieldsTheyDoNotRead) {
  FieldChoice choice;
  apply(choice, parse_json(R"({"source": {"kind": "features", "width": 3}})", "test"));
  EXPECT_NO_THROW(check_pairing(*front("frames", "{}"), choice.source()));
  EXPECT_NO_THROW(check_pairing(*front("words", "{}"), choice.target()));
  try {
    check_pairing(*front("words", "{}"), choice.source());
    FAIL() << "words read text";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    EXPECT_THAT(
        error.what(),
        HasSubstr("model.front: words does not read the field features of data.source (frames"));
  }
}

/// A field that no front has heard of: the bits of a letter, as rows of eight numbers.
class BitsField : public Field {
 public:
  void describe(Describer& /*d*/) override {}
  RowKind row_kind() const override { return RowKind::numbers; }
  RowForm form() const override { return RowForm::numbers(8); }
  std::string summary() const override { return "bits"; }
  Item read(std::string_view cell) const override {
    const auto bytes = std::as_bytes(std::span(cell));
    return {bytes.begin(), bytes.end()};
  }
  int64_t length(ItemView item) const override { return static_cast<int64_t>(item.size()); }
  HostRows collate(std::span<const Item> /*items*/, const Place& /*place*/) const override {
    return {};
  }
  std::vector<std::string> labels(const ReadSource& /*read*/) const override { return {}; }
};

TEST(Fronts, ReadANewFieldByItsRows) {
  Catalogue<Field> with_one_more(
      "field", {{"bits", {}, "the bits of letters", [] { return std::make_unique<BitsField>(); }}});
  const auto bits = make_part(with_one_more, "bits");
  EXPECT_NO_THROW(check_pairing(*front("frames", "{}"), *bits));
  EXPECT_NO_THROW(check_pairing(*front("subsample", "{}"), *bits));
  for (const char* other : {"words", "patches", "stages", "convolutional"}) {
    try {
      check_pairing(*front(other, "{}"), *bits);
      FAIL() << other;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("does not read the field bits of data.source (frames, "
                                          "subsample would)"));
    }
  }
}

TEST(Fronts, ReadEveryFieldThatHasRows) {
  for (const auto& entry : heed::fields()) {
    const auto field = make_part(heed::fields(), entry.name);
    const auto reads = [&field](const auto& candidate) {
      return candidate.make()->reads() == field->row_kind();
    };
    EXPECT_EQ(std::any_of(fronts().begin(), fronts().end(), reads), !field->is_none())
        << entry.name;
  }
}

/// A memory given from outside: the numbers themselves, slot by slot.
TEST(IdentityEncoder, HandsItsRowsOn) {
  Model model;
  apply(model, parse_json(R"({"front": {"kind": "frames", "normalise": false, "project": false},
    "encoder": "identity", "decoder": {"kind": "attend_first", "width": 4, "embedding": 4}})",
                          "test"));
  Init init(here(), 1);
  model.build(RowForm::numbers(2), RowForm::ids(5), init);
  const FieldRows source = rows_of({1, 2, 3, 4, 5, 6}, 2, {2, 1});
  Pass pass = Pass::serving();
  const Encoded encoded = model.encode(source, pass);
  ASSERT_EQ(encoded.blocks.size(), 1U);
  EXPECT_EQ(encoded.blocks[0].values(), source.values.values());
  EXPECT_THAT(encoded.summary.values(), ElementsAre(2, 3, 5, 6));
}

TEST(Frames, ShareNoEmbeddings) {
  Model model;
  apply(model, parse_json(R"({"front": "frames", "share_embeddings": true})", "test"));
  Init init(here(), 1);
  EXPECT_THROW(model.build(RowForm::numbers(2), RowForm::ids(5), init), Error);
}

}  // namespace
}  // namespace heed::fronts_test
