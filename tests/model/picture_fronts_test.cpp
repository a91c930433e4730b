// The fronts that read pictures. Their rows are made by hand: u8 pixels with grids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/model/fronts.h"
#include "heed/model/model.h"
#include "tests/model/made_pictures.h"
#include "tests/support/backends.h"
#include "tests/support/gradients_reach.h"
#include "tests/support/tolerance.h"
#include "tests/support/turn_settings.h"

namespace heed::test::picture_fronts_test {
namespace {

using namespace made_pictures;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// W of the first patch, summed by hand; grids of ⌈n / size⌉ cells.
TEST(Patches, AreProductsOfTheirPixels) {
  const auto part = front("patches", R"({"size": 2, "position": "none"})");
  Init init(exact(), 3);
  part->build(widths(4), init);
  const FieldRows rows = run(*part, pictures({{4, 6}, {3, 2}}, exact()));
  EXPECT_EQ(rows.layout.grids(), (std::vector<GridExtent>{{2, 3}, {2, 1}}));
  EXPECT_THAT(rows.layout.lengths(), ElementsAre(6, 2));
  ASSERT_EQ(rows.values.shape(), (Shape{8, 4}));
  const std::vector<double> w = parameter_named(part->layers(), "projection.weight").values();
  double expected = 0;  // channel 1 of patch (1, 2): rows 2 and 3, columns 4 and 5
  for (int u = 0; u < 2; ++u) {
    for (int v = 0; v < 2; ++v) {
      for (int c = 0; c < 3; ++c) {
        const int pixel = (((2 + u) * 6 + 4 + v) * 3 + c) * 7 % 256;
        expected += w[static_cast<size_t>(12 + (u * 2 + v) * 3 + c)] * normalised(pixel);
      }
    }
  }
  EXPECT_NEAR(rows.values.values()[5 * 4 + 1], expected, 1e-12);
}

TEST(Patches, AddPositionsOfRowAndColumn) {
  Init init(exact(), 3);
  const auto plain = front("patches", R"({"size": 2, "position": "none"})");
  plain->build(widths(4), init);
  const auto placed =
      front("patches", R"({"size": 2, "position": {"kind": "learned", "maximum": 5}})");
  placed->build(widths(4), init);
  for (const char* name : {"projection.weight", "projection.bias"}) {
    copy_values(parameter_named(plain->layers(), name), parameter_named(placed->layers(), name));
  }
  const FieldRows source = pictures({{4, 6}}, exact());
  const std::vector<double> before = run(*plain, source).values.values();
  const std::vector<double> after = run(*placed, source).values.values();
  const auto rows = parameter_named(placed->layers(), "position.rows.table").values();  // [5, 2]
  const auto columns = parameter_named(placed->layers(), "position.columns.table").values();
  for (size_t cell = 0; cell < 6; ++cell) {
    for (size_t c = 0; c < 4; ++c) {
      const double added = c < 2 ? rows[cell / 3 * 2 + c] : columns[cell % 3 * 2 + c - 2];
      EXPECT_NEAR(after[cell * 4 + c] - before[cell * 4 + c], added, 1e-12);
    }
  }
  EXPECT_THAT(said_by([&] {
                run(*placed, pictures({{12, 2}}, exact()));
              }),
              HasSubstr("raise the setting maximum"));
}

/// The numbers less their mean, divided by their deviation.
std::vector<double> normed(std::vector<double> numbers) {
  const auto count = static_cast<double>(numbers.size());
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  double square = 0;
  for (double& number : numbers) {
    number -= mean;
    square += number * number;
  }
  for (double& number : numbers) {
    number /= std::sqrt(square / count + 1e-5);
  }
  return numbers;
}

/// One convolution that sees one pixel of four: normed over the whole picture, and not over a cell.
TEST(Stages, NormTheWholePicture) {
  const auto part =
      front("stages", R"({"channels": [4], "depth": 1, "kernel": 1, "norm_rows": false,
                          "position": "none"})");
  Init init(exact(), 3);
  part->build(widths(4), init);
  const FieldRows rows = run(*part, pictures({{4, 6}}, exact()));
  EXPECT_EQ(rows.layout.grids(), (std::vector<GridExtent>{{2, 3}}));
  const std::vector<double> w =
      parameter_named(part->layers(), "convolution.0.convolution.weight").values();  // [4, 3]
  std::vector<double> products;
  for (int cell = 0; cell < 6; ++cell) {
    const int pixel = cell / 3 * 12 + cell % 3 * 2;
    for (size_t o = 0; o < 4; ++o) {
      double sum = 0;
      for (int c = 0; c < 3; ++c) {
        sum += w[3 * o + static_cast<size_t>(c)] * normalised((pixel * 3 + c) * 7 % 256);
      }
      products.push_back(sum);
    }
  }
  std::vector<double> expected = normed(products);
  for (double& number : expected) {
    number = std::max(number, 0.0);
  }
  const std::vector<double> values = rows.values.values();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], 1e-12) << i;
  }
}

/// The same rows, each normed by itself.
TEST(Stages, NormTheRows) {
  const std::string settings = R"("channels": [6, 8], "position": "none")";
  std::vector<std::vector<double>> values;
  for (const char* norm : {"false", "true"}) {
    const auto part = front("stages", "{" + settings + R"(, "norm_rows": )" + norm + "}");
    Init init(exact(), 3);
    part->build(widths(8), init);
    values.push_back(run(*part, pictures({{8, 8}}, exact())).values.values());
  }
  ASSERT_EQ(values[0].size(), 4U * 8U);
  for (size_t row = 0; row < 4; ++row) {
    const auto first = static_cast<std::ptrdiff_t>(8 * row);
    const std::vector<double> expected =
        normed({values[0].begin() + first, values[0].begin() + first + 8});
    for (size_t c = 0; c < 8; ++c) {
      EXPECT_NEAR(values[1][8 * row + c], expected[c], 1e-9);
    }
  }
}

/// A picture's rows do not depend on the others of its batch, nor on their sizes.
TEST(PictureFronts, APictureIsTheSameInEveryBatch) {
  const std::string settings[] = {R"({"size": 4, "position": {"kind": "sinusoidal"}})",
                                  R"({"channels": [5, 8]})"};
  const std::string kinds[] = {"patches", "stages"};
  for (size_t k = 0; k < 2; ++k) {
    const auto part = front(kinds[k], settings[k]);
    Init init(cpu(), 3);
    part->build(widths(8), init);
    const FieldRows together = run(*part, pictures({{9, 6}, {9, 6}, {5, 8}, {9, 6}}, cpu()));
    std::vector<double> apart;
    int first = 0;
    for (const GridExtent extent : {GridExtent{9, 6}, {9, 6}, {5, 8}, {9, 6}}) {
      apart = joined(apart, run(*part, pictures({extent}, cpu(), first)).values.values());
      first += 13;
    }
    EXPECT_EQ(together.values.values(), apart) << kinds[k];
    EXPECT_EQ(together.layout.grids()[2], (GridExtent{2, 2}));
    EXPECT_EQ(together.layout.grids()[0], (GridExtent{3, 2}));
    EXPECT_EQ(part->stride(), 4);
  }
}

TEST(PictureFronts, GradientsReachEveryParameter) {
  const FieldRows source = pictures({{8, 8}, {8, 12}}, cpu());
  for (const char* kind : {"patches", "stages"}) {
    const auto part = front(kind, R"({"position": {"kind": "learned", "maximum": 4}})");
    apply(*part,
          parse_json(std::string(kind) == "stages" ? R"({"channels": [6, 8]})" : R"({"size": 3})",
                     "test"));
    Init init(cpu(), 3);
    part->build(widths(8), init);
    EXPECT_TRUE(gradients_reach(part->layers(), [&]() -> std::vector<Tensor> {
      return {run(*part, source).values};
    })) << kind;
  }
}

TEST(PictureFronts, EverySettingChangesSomething) {
  TurnOptions options;
  options.given["position.base"] = parse_json(R"({"position": "sinusoidal"})", "test");
  options.tries["position.maximum"] = {1};
  options.refused["position.maximum"] = "learned positions: there is no position";
  options.tries["channels"] = {parse_json("[6, 10]", "test")};
  const auto stages = [] { return front("stages", R"({"channels": [6, 8]})"); };
  EXPECT_GE(turn_every_setting(stages, seen_by, options), 6U);
  const auto patches = [] { return front("patches", R"({"size": 3})"); };
  EXPECT_GE(turn_every_setting(patches, seen_by, options), 3U);
}

/// No weight depends on the size of a picture, but memory and time do.
TEST(PictureFronts, APictureHasAtMost4096Cells) {
  const auto build = [](const GridExtent& grid) {
    Model model;
    apply(model, parse_json(R"({"embedding": 2, "front": {"kind": "patches", "size": 8},
                                "encoder": "identity", "decoder": {"kind": "attend_first",
                                "width": 2, "embedding": 2}})",
                            "test"));
    Init init(cpu(), 3);
    model.build(RowForm::pixels(grid), RowForm::ids(5), init);
  };
  EXPECT_NO_THROW(build({512, 512}));
  EXPECT_THAT(
      [&] {
        build({520, 512});
      },
      ::testing::ThrowsMessage<Error>(::testing::HasSubstr("a grid of 65 × 64 cells")));
}

TEST(PictureFronts, RefuseWhatTheyCannotRead) {
  const auto part = front("patches", "{}");
  Init init(cpu(), 3);
  EXPECT_THAT(said_by([&] {
                part->build({RowForm::numbers(40), 8, false, nullptr}, init);
              }),
              HasSubstr("reads pictures"));
  EXPECT_THAT(
      said_by([&] { front("patches", R"({"position": "rotary"})")->build(widths(), init); }),
      HasSubstr("enters the scores"));
  EXPECT_THAT(said_by([&] { front("patches", "{}")->build(widths(7), init); }),
              HasSubstr("are an odd number"));
  EXPECT_THAT(said_by([&] { front("stages", R"({"channels": []})")->build(widths(), init); }),
              HasSubstr("give 1 to 12"));
  part->build(widths(), init);
  const FieldRows good = pictures({{4, 4}}, cpu());
  EXPECT_THAT(said_by([&] {
                run(*part, {good.values, Layout::packed(good.layout.lengths(), cpu())});
              }),
              HasSubstr("without height and width"));
  EXPECT_THAT(said_by([&] {
                run(*part, {Tensor::zeros({16, 2}, cpu()), good.layout});
              }),
              HasSubstr("are no pixels [N, 3]"));
}

}  // namespace
}  // namespace heed::test::picture_fronts_test
