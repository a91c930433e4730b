#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/config/apply.h"
#include "heed/data/data_plan.h"
#include "heed/data/fields.h"
#include "heed/data/prefetch.h"
#include "heed/media/resize.h"
#include "tests/base/scratch_directory.h"
#include "tests/data/made_tar.h"
#include "tests/media/made_pictures.h"
#include "tests/support/backends.h"
#include "tests/support/turn_settings.h"

namespace heed::picture_field_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Place here() { return {&test::forced("reference"), DType::f32}; }

std::shared_ptr<Field> picture(const std::string& settings) {
  FieldChoice choice;
  apply(choice, parse_json(R"({"source": {"kind": "picture")" + settings + "}}", "test"));
  return choice.made().source;
}

std::vector<std::uint8_t> pixels_of(ItemView item) {
  std::vector<std::uint8_t> pixels(item.size());
  std::memcpy(pixels.data(), item.data(), item.size());
  return pixels;
}

const std::string scene = "shapes: ground 808080 noise 10 5; red circle ff0000 500 400 200 0";

TEST(PictureField, ReadsFilesArchivesAndScenes) {
  const ScratchDirectory scratch;
  const std::string png = test::png_file(test::sloping(8, 8));
  write_atomically(scratch / "one.png", png);
  write_atomically(scratch / "all.tar", test::tar_entry("images/one.png", png) + test::tar_end());
  const auto field = picture(R"(, "side": 8)");
  const std::string table = scratch / "t.tsv";
  const std::string cell = field->located("one.png", table);
  EXPECT_EQ(cell, scratch / "one.png");
  const Item item = field->read(cell);
  EXPECT_EQ(field->hashed(item).size(), 1 + 7 + png.size()) << "the name and the compressed file";
  EXPECT_EQ(item.size(), 2 + cell.size() + 1 + png.size()) << "behind the name of its folder";
  EXPECT_EQ(field->length(item), 64);
  EXPECT_EQ(field->rows(item), 64);
  EXPECT_EQ(pixels_of(field->prepared(item, std::nullopt)), test::sloping(8, 8).pixels);
  const auto hashed = [&field](const Item& one) {
    const ItemView part = field->hashed(one);
    return Item(part.begin(), part.end());
  };
  EXPECT_EQ(hashed(field->read(field->located("all.tar#images/one.png", table))), hashed(item));
  const auto in_tar = picture(R"(, "side": 8, "archive": "all.tar", "folder": "images")");
  EXPECT_EQ(in_tar->located("one.png", table), (scratch / "all.tar") + "#images/one.png");
  EXPECT_EQ(hashed(in_tar->read(in_tar->located("one.png", table))), hashed(item));
  EXPECT_EQ(picture(R"(, "folder": "sub")")->located("a.png", "/data/t.tsv"), "/data/sub/a.png");
  EXPECT_EQ(field->located("/else/a.png", table), "/else/a.png");
  EXPECT_EQ(field->located(scene, table), scene);
  const Item drawn = field->read(scene);
  EXPECT_EQ(field->length(drawn), 64);
  EXPECT_EQ(field->prepared(drawn, std::nullopt).size(), 192U);
  EXPECT_TRUE(field->read("").empty());
  EXPECT_EQ(field->length(field->read("")), 0);
}

TEST(PictureField, NamesWhatItCannotRead) {
  const ScratchDirectory scratch;
  const auto refusal = [&](const std::string& file, const std::string& settings = "") {
    write_atomically(scratch / "bad.jpg", file);
    const auto field = picture(settings);
    try {
      field->verify(field->read(scratch / "bad.jpg"));
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::file);
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string good = test::jpeg_file(test::sloping(40, 30));
  EXPECT_EQ(refusal(good), "");
  const std::string whole_path = scratch / "bad.jpg";
  EXPECT_THAT(refusal("no picture"), StartsWith(whole_path + ": this is a file of another kind"));
  const std::string half = good.substr(0, good.size() * 3 / 4);
  EXPECT_THAT(refusal(half), StartsWith(whole_path + ": the JPEG picture is damaged ("));
  EXPECT_EQ(refusal(half, R"(, "verify": false)"), "");
  EXPECT_THAT(refusal(good, R"(, "most_pixels": 1199)"), HasSubstr("may have 1 to 1199 pixels"));
  EXPECT_THROW(picture(R"(, "most_pixels": 64000001)"), Error) << "a model may only lower it";
  EXPECT_THROW(picture("")->read("/nowhere/a.png"), Error);
  EXPECT_THROW(picture("")->read("shapes: blue whale"), Error);
  EXPECT_THROW(picture(R"(, "archive": "images.zip")")->check(), Error);
}

/// Damage behind the header is found when a picture is prepared, from the item alone.
TEST(PictureField, NamesADamagedPictureWhole) {
  const ScratchDirectory scratch;
  const std::string good = test::jpeg_file(test::sloping(40, 30));
  const std::string half = good.substr(0, good.size() * 3 / 4);
  make_directory(scratch / "sub");
  write_atomically(scratch / "sub/cut.jpg", half);
  write_atomically(scratch / "all.tar", test::tar_entry("in/cut.jpg", half) + test::tar_end());
  const auto field = picture("");
  for (const std::string& cell : {scratch / "sub/cut.jpg", (scratch / "all.tar") + "#in/cut.jpg"}) {
    const Item item = field->read(cell);
    try {
      field->prepared(item, std::nullopt);
      FAIL() << cell << " is damaged";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), StartsWith(cell + ": the JPEG picture is damaged ("));
    }
  }
}

TEST(PictureField, MakesSquares) {
  const ScratchDirectory scratch;
  const Picture wide = test::sloping(40, 20);
  write_atomically(scratch / "a.png", test::png_file(wide));
  const auto made = [&](const std::string& settings) {
    const auto field = picture(R"(, "side": 10)" + settings);
    return pixels_of(field->prepared(field->read(scratch / "a.png"), std::nullopt));
  };
  EXPECT_EQ(made(""), resized(wide, {0, 0, 40, 20}, {10, 10}).pixels);
  EXPECT_EQ(made(R"(, "resize": "crop")"), resized(wide, {10, 0, 20, 20}, {10, 10}).pixels);
  EXPECT_EQ(made(R"(, "interpolation": "bicubic")"),
            resized(wide, {0, 0, 40, 20}, {10, 10, Interpolation::bicubic}).pixels);
  EXPECT_EQ(made(R"(, "flip": true, "random_crop": 0.5)"), made("")) << "only in training";
}

TEST(PictureField, ChangesByTheKeyAlone) {
  const auto field = picture(R"(, "side": 12, "flip": true, "random_crop": 0.6)");
  const Item item = field->read(scene);
  const RandomKey key{1, 2, 3};
  EXPECT_EQ(field->prepared(item, key), field->prepared(item, key));
  EXPECT_NE(field->prepared(item, key), field->prepared(item, RandomKey{1, 2, 4}));
  EXPECT_NE(field->prepared(item, key), field->prepared(item, RandomKey{1, 3, 3}));
  // Mirroring alone gives one of two pictures, about as often each.
  const auto flips = picture(R"(, "side": 12, "flip": true)");
  const Item plain = flips->prepared(item, std::nullopt);
  int mirrored = 0;
  for (std::uint64_t example = 0; example < 200; ++example) {
    Item one = flips->prepared(item, RandomKey{1, 1, example});
    if (one != plain) {
      ++mirrored;
      Picture back{12, 12, pixels_of(one)};
      mirror(back);
      EXPECT_EQ(back.pixels, pixels_of(plain));
    }
  }
  EXPECT_NEAR(mirrored, 100, 25);
  EXPECT_EQ(flips->variants(), 2);
  EXPECT_EQ(field->variants(), 0) << "too many parts to count";
  EXPECT_EQ(picture("")->variants(), 1);
}

/// A JPEG whose sides are more than four times what is needed is decoded at half its size: not
/// quite the same picture, but always the same one.
TEST(PictureField, ShrinksWhileItDecodes) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "a.jpg", test::jpeg_file(test::sloping(200, 170)));
  const auto made = [&](const std::string& settings) {
    const auto field = picture(R"(, "side": 40)" + settings);
    return Picture{40, 40, pixels_of(field->prepared(field->read(scratch / "a.jpg"), {}))};
  };
  const Picture whole = made(R"(, "shrink": false)");
  EXPECT_NE(made("").pixels, whole.pixels);
  EXPECT_LE(test::largest_difference(made(""), whole), 3);
  EXPECT_EQ(made("").pixels, made("").pixels);
  EXPECT_EQ(made(R"(, "random_crop": 0.5)").pixels, whole.pixels)
      << "a part of half the sides would have too few pixels";
}

TEST(PictureField, CollatesBytesWithTheirGrid) {
  const auto field = picture(R"(, "side": 3)");
  EXPECT_TRUE(field->form().has_pixels());
  EXPECT_EQ(field->form().width(), 3);
  EXPECT_EQ(field->form().grid(), (GridExtent{3, 3}));
  EXPECT_FALSE(RowForm::numbers(3).has_pixels());
  const Item one = field->prepared(field->read(scene), std::nullopt);
  const Item two = field->prepared(field->read("shapes: ground 010203 noise 0 0"), std::nullopt);
  const FieldRows rows = field->collate(std::vector<Item>{one, two}, here()).uploaded(here());
  EXPECT_EQ(rows.values.dtype(), DType::u8);
  EXPECT_EQ(rows.values.shape(), (Shape{18, 3}));
  EXPECT_THAT(rows.layout.lengths(), ElementsAre(9, 9));
  EXPECT_THAT(rows.layout.grids(), ElementsAre(GridExtent{3, 3}, GridExtent{3, 3}));
  const std::vector<double> values = rows.values.values();
  for (std::size_t i = 0; i < 27; ++i) {
    EXPECT_EQ(values[i], static_cast<double>(one[i]));
    EXPECT_EQ(values[27 + i], 1 + static_cast<double>(i % 3));
  }
  EXPECT_THROW(field->collate(std::vector<Item>{field->read(scene)}, here()), Error);
  EXPECT_THAT(picture(R"(, "side": 2)")->labels({one}), ElementsAre("0,0", "0,1", "1,0", "1,1"));
}

TEST(PictureField, EverySettingActs) {
  const ScratchDirectory scratch;
  const std::string jpeg = test::jpeg_file(test::sloping(60, 50));
  const std::string broken = jpeg.substr(0, jpeg.size() - 40);
  make_directory(scratch / "sub");
  write_atomically(scratch / "a.jpg", jpeg);
  write_atomically(scratch / "broken.jpg", broken);
  write_atomically(scratch / "sub/a.jpg", test::png_file(test::sloping(9, 9)));
  write_atomically(scratch / "all.tar", test::tar_entry("a.jpg", jpeg + "x") + test::tar_end());
  const auto probe = [&](Described& described) {
    auto& field = dynamic_cast<Field&>(described);
    std::vector<double> seen;
    const Item item = field.read(field.located("a.jpg", scratch / "t.tsv"));
    seen.push_back(static_cast<double>(item.size()));
    for (std::uint64_t example = 0; example < 4; ++example) {
      for (const std::byte value : field.prepared(item, RandomKey{1, 1, example})) {
        seen.push_back(static_cast<double>(value));
      }
    }
    try {
      field.verify(field.read(scratch / "broken.jpg"));
    } catch (const Error&) {
      seen.push_back(-1);
    }
    return seen;
  };
  const Json small = parse_json(R"({"side": 6})", "test");
  const std::size_t count = test::turn_every_setting(
      [] { return make_part(fields(), "picture"); }, probe,
      {.tries = {{"folder", {"sub"}}, {"archive", {"all.tar"}}, {"most_pixels", {2999}}},
       .given = {{"shrink", small}},
       .refused = {{"most_pixels", "may have 1 to 2999 pixels"}}});
  EXPECT_EQ(count, 10U);
}

/// A table of pictures with several captions each, one of which cannot be read.
class PictureTable : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 6; ++i) {
      const std::string name = "p" + std::to_string(i) + ".jpg";
      const std::string file = test::jpeg_file(test::sloping(20 + i, 20));
      write_atomically(scratch / name, i == 4 ? file.substr(0, file.size() - 60) : file);
      wide += name + "\ta b " + std::to_string(i) + "\tc d\n";
      tall += name + "\ta b " + std::to_string(i) + "\n" + name + "\tc d\n";
    }
    write_atomically(scratch / "wide.tsv", wide);
    write_atomically(scratch / "tall.tsv", tall);
  }
  Corpora load(const std::string& settings, const std::string& changes = "") {
    DataPlan plan;
    apply(plan, parse_json(R"({"train": ")" + (scratch / "wide.tsv") + R"(", "valid": ")" +
                               (scratch / "tall.tsv") +
                               R"(", "columns": [1, 2, 3], "valid_columns": [1, 2],
         "target_tokens": "words", "source": {"kind": "picture", "side": 8)" +
                               changes + "}" + settings + "}",
                           "test"));
    return plan.load({.spill = scratch.path()});
  }
  ScratchDirectory scratch;
  std::string wide;
  std::string tall;
};

TEST_F(PictureTable, ADamagedPictureIsAnErrorOrSkippedAndCounted) {
  try {
    load("");
    FAIL() << "p4.jpg is damaged";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    EXPECT_THAT(error.what(), StartsWith((scratch / "p4.jpg") + ": the JPEG picture is damaged ("));
  }
  const Corpora corpora = load(R"(, "skip": ["damaged"])");
  EXPECT_EQ(corpora.train.size(), 10);
  EXPECT_THAT(corpora.train.left_out().sentence(),
              HasSubstr("2 with a damaged source (the first is " + (scratch / "p4.jpg") + ")"));
  EXPECT_EQ(corpora.valid.size(), 10);
  EXPECT_EQ(corpora.valid.left_out().count("with a damaged source"), 2);
}

/// Without `verify` damage is found when it is too late to leave a picture out.
TEST_F(PictureTable, SkippingDamagedPicturesNeedsVerify) {
  try {
    load(R"(, "skip": ["damaged"])", R"(, "verify": false)");
    FAIL() << "skip and verify contradict each other";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    EXPECT_THAT(error.what(), HasSubstr("\"damaged\" needs data.source.verify = true"));
  }
  const Corpora corpora = load("", R"(, "verify": false)");
  const std::vector<std::int64_t> p4 = {8};
  try {
    corpora.train.items(p4);
    FAIL() << "p4.jpg is damaged";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    EXPECT_THAT(error.what(), StartsWith((scratch / "p4.jpg") + ": the JPEG picture is damaged ("));
    EXPECT_THAT(error.what(), HasSubstr("data.source.verify = true finds"));
  }
}

TEST_F(PictureTable, SeveralCaptionsAreExamplesInTrainingAndReferencesInValidation) {
  const Corpora corpora = load(R"(, "skip": ["damaged"], "group_references": true)");
  EXPECT_EQ(corpora.train.size(), 10);
  for (std::int64_t i = 0; i < 10; i += 2) {
    const ItemView one = corpora.train.source(i);
    const ItemView other = corpora.train.source(i + 1);
    EXPECT_EQ(one.data(), other.data()) << "two captions share the bytes of their picture";
    EXPECT_EQ(one.size(), other.size());
  }
  ASSERT_EQ(corpora.valid.rows().size(), 5U) << "a picture that occurs on two lines is one row";
  EXPECT_THAT(corpora.valid.rows()[0].targets, ElementsAre("a b 0", "c d"));
  // The same items whether captions are columns or lines.
  const Corpora lines = load(R"(, "skip": ["damaged"])");
  EXPECT_EQ(lines.valid.hash(), corpora.train.hash());
}

TEST_F(PictureTable, BatchesDoNotDependOnThreadsOrMemory) {
  const Corpora corpora = load(R"(, "skip": ["damaged"])", R"(, "flip": true, "random_crop": 0.5)");
  std::vector<Item> seen;
  for (const std::int64_t threads : {1, 3}) {
    PrefetchedBatches batches(corpora.train, {.sentences = 3, .threads = threads}, here());
    seen.emplace_back();
    for (std::int64_t step = 0; step < 9; ++step) {
      const StepBatch one = batches.at(step);
      const auto bytes = one.batch.source.values.bytes();
      seen.back().insert(seen.back().end(), bytes.begin(), bytes.end());
    }
  }
  EXPECT_EQ(seen[0], seen[1]);
  CorpusWriter writer(corpora.train.fields(), {}, {scratch.path(), 100});
  for (int i = 0; i < 6; ++i) {
    if (i != 4) {
      writer.add(scratch / ("p" + std::to_string(i) + ".jpg"), "a b " + std::to_string(i));
      writer.add(scratch / ("p" + std::to_string(i) + ".jpg"), "c d");
    }
  }
  const Corpus spilled = writer.finish();
  EXPECT_TRUE(spilled.is_on_disk());
  EXPECT_EQ(spilled.hash(), corpora.train.hash());
}

/// 1000 photographs in a tar archive, with five captions each.
TEST(PictureField, ReadsFlickr8k) {
  const char* data = std::getenv("HEED_DATA");
  const std::string folder = std::string(data == nullptr ? "" : data) + "/flickr8k";
  if (!file_exists(folder + "/images.tar")) {
    GTEST_SKIP() << "HEED_DATA has no flickr8k/images.tar";
  }
  DataPlan plan;
  apply(plan, parse_json(R"({"train": "$HEED_DATA/flickr8k/test.tsv.gz", "target_tokens": "words",
      "valid": "$HEED_DATA/flickr8k/unused.tsv.gz", "columns": [1, 2, 3, 4, 5, 6],
      "source": {"kind": "picture", "side": 160, "archive": "images.tar", "folder": "images"}})",
                         "test"));
  const Corpora corpora = plan.load({.roots = {.data = data}});
  EXPECT_EQ(corpora.train.size(), 5000);
  EXPECT_EQ(corpora.train.left_out().count(), 0);
  EXPECT_EQ(corpora.valid.rows().size(), 91U);
  EXPECT_EQ(corpora.valid.rows()[0].targets.size(), 5U);
  EXPECT_EQ(corpora.train.source(0).data(), corpora.train.source(4).data());
  EXPECT_NE(corpora.train.source(4).data(), corpora.train.source(5).data());
  const std::vector<std::int64_t> few = {0, 999, 4999};
  const Batch batch = make_batch(corpora.train.items(few), here());
  EXPECT_EQ(batch.source.values.shape(), (Shape{3 * 160 * 160, 3}));
}

}  // namespace
}  // namespace heed::picture_field_test
