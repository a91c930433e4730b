#include "heed/see/png.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/see/canvas.h"
#include "heed/see/sheet.h"

namespace heed::png_test {
namespace {

/// A reader that shares nothing with the writer but zlib: 8-bit RGB without filters.
struct Picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::string rows;

  explicit Picture(const std::string& file) {
    EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
    std::string packed;
    std::string kinds;
    for (std::size_t at = 8; at < file.size();) {
      const std::uint32_t size = number(file, at);
      const std::string body = file.substr(at + 4, size + 4);
      const auto* bytes = reinterpret_cast<const Bytef*>(body.data());
      EXPECT_EQ(crc32(0, bytes, static_cast<uInt>(body.size())), number(file, at + 8 + size));
      kinds += body.substr(0, 4) + " ";
      if (body.starts_with("IHDR")) {
        width = number(body, 4);
        height = number(body, 8);
        EXPECT_EQ(body.substr(12), std::string("\x08\x02\x00\x00\x00", 5));
      } else if (body.starts_with("IDAT")) {
        packed = body.substr(4);
      }
      at += 12 + size;
    }
    EXPECT_EQ(kinds, "IHDR IDAT IEND ");
    rows.resize(std::size_t{height} * (3 * std::size_t{width} + 1));
    auto size = static_cast<uLongf>(rows.size());
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                         reinterpret_cast<const Bytef*>(packed.data()),
                         static_cast<uLong>(packed.size())),
              Z_OK);
    EXPECT_EQ(size, rows.size());
  }

  static std::uint32_t number(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value << 8U | static_cast<unsigned char>(bytes.at(at + i));
    }
    return value;
  }

  /// From 0, black, to 765, white.
  int lightness(double x, double y) const {
    const std::size_t at = static_cast<std::size_t>(y) * (3 * std::size_t{width} + 1) + 1 +
                           3 * static_cast<std::size_t>(x);
    return static_cast<unsigned char>(rows.at(at)) + static_cast<unsigned char>(rows.at(at + 1)) +
           static_cast<unsigned char>(rows.at(at + 2));
  }

  /// Pixels darker than paper in a part of the sheet.
  int inked(double x, double y, double wide, double high) const {
    int count = 0;
    for (double j = y; j < y + high; ++j) {
      for (double i = x; i < x + wide; ++i) {
        count += lightness(i, j) < 600 ? 1 : 0;
      }
    }
    return count;
  }
};

HeatMap small_map() {
  HeatMap map;
  map.rows = {"我", "图书馆"};
  map.columns = {"I", "library", "."};
  map.weights = {0.9F, 0.1F, 0, 0.2F, 0.5F, 0.3F};
  return map;
}

TEST(Png, IsTheSheetOfTheSvgAndDarkerIsMore) {
  const HeatMap map = small_map();
  const PngStyle style;
  const Picture made(draw_png(map, style));
  const Sheet sheet = lay_out(map, style.cell_px);
  EXPECT_EQ(made.width, std::ceil(style.scale * sheet.width));
  EXPECT_EQ(made.height, std::ceil(style.scale * sheet.height));
  const auto cell = [&](double row, double column) {
    return made.lightness(style.scale * (sheet.left + style.cell_px * (column + 0.5)),
                          style.scale * (sheet.top + style.cell_px * (row + 0.5)));
  };
  EXPECT_LT(cell(0, 0), cell(1, 1));
  EXPECT_LT(cell(1, 1), cell(1, 2));
  EXPECT_LT(cell(1, 2), cell(1, 0));
  EXPECT_LT(cell(1, 0), cell(0, 1));
  EXPECT_LT(cell(0, 1), cell(0, 2));
}

TEST(Png, WritesWordsOnBothAxes) {
  HeatMap map = small_map();
  const PngStyle style;
  const auto labels = [&](const HeatMap& drawn) {
    const Sheet sheet = lay_out(drawn, style.cell_px);
    const Picture made(draw_png(drawn, style));
    const double s = style.scale;
    return std::pair(
        made.inked(0, s * sheet.top, s * (sheet.left - gap_px / 2), s * 2 * style.cell_px),
        made.inked(s * sheet.left, 0, s * (sheet.width - sheet.left),
                   s * (sheet.top - gap_px / 2)));
  };
  const auto [rows, columns] = labels(map);
  EXPECT_GT(rows, 200);
  EXPECT_GT(columns, 200);
  map.columns = {"", "", ""};
  EXPECT_EQ(labels(map).second, 0);
}

TEST(Png, LabelsAreSmoothAndNarrowOnesStandUpright) {
  const PngStyle style;
  HeatMap map = small_map();
  map.columns = {"我", "一", "中"};
  const Sheet sheet = lay_out(map, style.cell_px);
  const Picture made(draw_png(map, style));
  const double s = style.scale;
  // The stroke of 一 lies level: its ink is many times wider than high.
  const double x = s * (sheet.left + style.cell_px);
  int high = 0;
  for (double y = s * (sheet.top - 2 * font_px); y < s * (sheet.top - 2); ++y) {
    high += made.inked(x, y, s * style.cell_px, 1) > 0 ? 1 : 0;
  }
  EXPECT_GT(high, 0);
  EXPECT_LT(high, 8);
  map.columns = {"我们的", "图书馆很", "大得很"};
  EXPECT_GT(lay_out(map, style.cell_px).top, sheet.top);
  EXPECT_EQ(upright_labels({"我", "the", "library", "the", "I", "我", "played"}, 28),
            (std::vector<bool>{true, true, false, false, true, true, false}));
}

TEST(Png, ShowsValuesTitlesAndWhatIsNoNumber) {
  HeatMap map = small_map();
  const std::string plain = draw_png(map);
  EXPECT_NE(draw_png(map, {.shows_values = true}), plain);
  EXPECT_NE(draw_png(map, {.darkest = 2}), plain);
  EXPECT_GT(Picture(draw_png(map, {.scale = 4})).width, Picture(plain).width);
  map.title = "标题";
  EXPECT_GT(Picture(draw_png(map)).height, Picture(plain).height);
  map.weights[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(draw_png(map), plain);
  EXPECT_EQ(draw_png(map), draw_png(map));
}

TEST(Png, TakesAnyLabelAndAnEmptyMap) {
  HeatMap map = small_map();
  map.rows = {"\xFF\n\x01", "👩‍👩‍👧‍👦 e\u0301 \u202E"};
  map.columns = {std::string(500, 'x'), "", " "};
  EXPECT_NO_THROW(Picture(draw_png(map)));
  EXPECT_NO_THROW(Picture(draw_png(HeatMap{})));
  map.weights.pop_back();
  EXPECT_THROW(draw_png(map), Error);
  EXPECT_THROW(draw_png(small_map(), {.cell_px = 1}), Error);
  EXPECT_THROW(draw_png(small_map(), {.scale = 100}), Error);
  EXPECT_THROW(Canvas(0, 5), Error);
  EXPECT_THROW(Canvas(5, 100000), Error);
}

}  // namespace
}  // namespace heed::png_test
