#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <set>
#include <thread>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/data/fields.h"
#include "heed/data/learn_fields.h"
#include "heed/data/prefetch.h"
#include "heed/data/synths.h"
#include "heed/media/dialling.h"
#include "heed/media/sound_features.h"
#include "tests/base/scratch_directory.h"
#include "tests/support/backends.h"

namespace heed::sound_field_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Place here() { return {&test::forced("reference"), DType::f32}; }

std::shared_ptr<Field> sound(const std::string& settings = "") {
  FieldChoice choice;
  apply(choice, parse_json(R"({"source": {"kind": "sound")" + settings + "}}", "test"));
  return choice.made().source;
}

std::vector<float> numbers_of(ItemView item) {
  std::vector<float> numbers(item.size() / sizeof(float));
  std::memcpy(numbers.data(), item.data(), item.size());
  return numbers;
}

/// A WAV file of 16 bits with a tone that rises from 300 Hz.
std::string rising_wav(int rate, double seconds) {
  std::string data;
  for (int n = 0; n < static_cast<int>(rate * seconds); ++n) {
    const double t = static_cast<double>(n) / rate;
    const double sample = 0.4 * std::sin(2 * std::numbers::pi * (300 + 500 * t) * t);
    const auto whole = static_cast<int16_t>(std::lround(32'767 * sample));
    data.append(reinterpret_cast<const char*>(&whole), 2);
  }
  std::string file = "RIFF";
  const auto put = [&file](uint32_t number, int count) {
    file.append(reinterpret_cast<const char*>(&number), static_cast<std::size_t>(count));
  };
  put(static_cast<uint32_t>(36 + data.size()), 4);
  file += "WAVEfmt ";
  put(16, 4);
  put(1, 2);
  put(1, 2);
  put(static_cast<uint32_t>(rate), 4);
  put(static_cast<uint32_t>(2 * rate), 4);
  put(2, 2);
  put(16, 2);
  file += "data";
  put(static_cast<uint32_t>(data.size()), 4);
  return file + data;
}

TEST(SoundField, RowsAreTheFeaturesOfTheFile) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "a.wav", rising_wav(16'000, 1));
  const auto field = sound();
  EXPECT_EQ(field->form().width(), 80);
  EXPECT_THAT(field->summary(), HasSubstr("80 numbers a row, 100 rows a second"));
  const std::string cell = field->located("a.wav", scratch / "t.tsv");
  EXPECT_EQ(cell, scratch / "a.wav");
  const Item item = field->read(cell);
  EXPECT_EQ(field->length(item), 98);
  const Item prepared = field->prepared(item, std::nullopt);
  const SoundFeatures features(feature_preset("log_mel"));
  std::vector<float> samples;
  const std::string file = rising_wav(16'000, 1);
  for (std::size_t at = 44; at < file.size(); at += 2) {
    int16_t sample = 0;
    std::memcpy(&sample, file.data() + at, 2);
    samples.push_back(static_cast<float>(sample) / 32'768);
  }
  EXPECT_EQ(numbers_of(prepared), features(samples));
  const FieldRows rows =
      field->collate(std::vector<Item>{prepared, prepared}, here()).uploaded(here());
  EXPECT_EQ(rows.values.shape(), (Shape{196, 80}));
  EXPECT_THAT(rows.layout.lengths(), ElementsAre(98, 98));
  const auto labels = field->labels({item});
  ASSERT_EQ(labels.size(), 98U);
  EXPECT_EQ(labels[7], "0.07");
}

TEST(SoundField, AnyRateHasTheRowsItPromises) {
  const ScratchDirectory scratch;
  for (const int rate : {8000, 11'025, 44'100}) {
    for (const double seconds : {0.5, 0.5101, 0.73}) {
      write_atomically(scratch / "a.wav", rising_wav(rate, seconds));
      for (const char* settings :
           {"", R"(, "features": "sphinx")", R"(, "features": "librosa_mel")",
            R"(, "rate": 8000, "cepstra": 12, "deltas": 1, "splice": 1)"}) {
        const auto field = sound(settings);
        const Item item = field->read(scratch / "a.wav");
        const auto rows =
            field->collate(std::vector<Item>{field->prepared(item, std::nullopt)}, here())
                .uploaded(here());
        EXPECT_EQ(rows.layout.rows(), field->length(item)) << rate << " " << seconds << settings;
        EXPECT_EQ(rows.values.size(1), field->form().width());
      }
    }
  }
}

TEST(SoundField, AStretchIsItsPartOfTheRecording) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "a.wav", rising_wav(16'000, 1));
  const auto field = sound(R"(, "cells": "stretch")");
  EXPECT_EQ(field->columns(), 3);
  const std::string cell = field->located("a.wav\t0.5\t0.75", scratch / "t.tsv");
  const Item item = field->read(cell);
  EXPECT_EQ(field->length(item), 23);  // 1 + ⌊(4000 − 400) / 160⌋
  const auto part = numbers_of(field->prepared(item, std::nullopt));
  const auto whole = numbers_of(field->prepared(field->read(scratch / "a.wav"), std::nullopt));
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + std::ptrdiff_t{50} * 80));
  EXPECT_EQ(field->labels(field->reading(cell))[1], "0.51");
  EXPECT_THROW(field->read((scratch / "a.wav") + "\t0.5\tsoon"), Error);
  EXPECT_THROW(field->read((scratch / "a.wav") + "\t0.5"), Error);
  EXPECT_THROW(field->read((scratch / "a.wav") + "\t5\t6"), Error);
}

TEST(SoundField, FaultsAreFoundWhenFilesAreRead) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "cut.wav", rising_wav(16'000, 1).substr(0, 5000));
  write_atomically(scratch / "long.wav", rising_wav(16'000, 2));
  const auto field = sound(R"(, "most_seconds": 1.5)");
  try {
    field->read(scratch / "cut.wav");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    EXPECT_THAT(error.what(), HasSubstr("cut.wav: there are 5000 bytes of a WAV file"));
  }
  EXPECT_THROW(field->read(scratch / "long.wav"), Error);
  EXPECT_THROW(field->read(scratch / "none.wav"), Error);
  EXPECT_THROW(field->read("tones:nothing"), Error);
  EXPECT_THROW(sound(R"(, "high_hertz": 9000)")->check(), Error) << "beyond half of the rate";
}

TEST(SoundField, DialledDigitsNeedNoFile) {
  const auto field = sound(R"(, "rate": 8000)");
  const std::string cell = "tones:1000ms,10dB,#7,5@120+80,3@310+75";
  EXPECT_EQ(field->located(cell, "/data/t.tsv"), cell);
  const Item item = field->read(cell);
  EXPECT_EQ(field->length(item), 98);
  EXPECT_LT(item.size(), 100U);
  EXPECT_EQ(numbers_of(field->prepared(item, std::nullopt)).size(), 98U * 80);
}

/// The settings that change a recording in training, each by itself.
TEST(SoundField, ChangesByTheKeyAlone) {
  const std::string cell = "tones:1000ms,20dB,#7,5@120+80,3@310+75";
  const Item plain = sound()->prepared(sound()->read(cell), std::nullopt);
  for (const char* settings :
       {R"(, "speed": 0.2)", R"(, "noise": 1)", R"(, "masks": 2, "mask_rows": 30)",
        R"(, "column_masks": 2, "mask_columns": 30)"}) {
    const auto field = sound(settings);
    const Item item = field->read(cell);
    EXPECT_EQ(field->prepared(item, std::nullopt), plain) << "without a key nothing changes";
    std::set<Item> seen = {plain};
    for (uint64_t example = 0; example < 10; ++example) {
      const Item changed = field->prepared(item, RandomKey{1, 2, example});
      EXPECT_EQ(field->prepared(item, RandomKey{1, 2, example}), changed) << settings;
      seen.insert(changed);
      seen.insert(field->prepared(item, RandomKey{1, 3, example}));
    }
    EXPECT_GE(seen.size(), 15U) << settings << ": 20 keys, of which a few may draw the same";
  }
}

TEST(SoundField, SpeedStaysInItsRange) {
  const auto field = sound(R"(, "speed": 0.1)");
  const Item item = field->read("tones:2000ms,20dB,#7,5@120+80");
  std::set<std::size_t> lengths;
  for (uint64_t example = 0; example < 60; ++example) {
    const auto rows = field->prepared(item, RandomKey{1, 1, example}).size() / 4 / 80;
    EXPECT_GE(rows, 178U);  // 2 s / 1.1 = 1.818 s
    EXPECT_LE(rows, 221U);  // 2 s / 0.9 = 2.222 s
    lengths.insert(rows);
  }
  EXPECT_GT(lengths.size(), 10U);
}

TEST(SoundField, MasksHideAtMostWhatTheySay) {
  const auto field =
      sound(R"(, "rate": 8000, "filters": 20, "masks": 2, "mask_rows": 10, "column_masks": 1,
        "mask_columns": 8)");
  const Item item = field->read("tones:1000ms,20dB,#7,5@120+80");
  const auto plain = numbers_of(field->prepared(item, std::nullopt));
  int hidden_rows = 0;
  int hidden_columns = 0;
  for (uint64_t example = 0; example < 40; ++example) {
    const auto rows = numbers_of(field->prepared(item, RandomKey{1, 1, example}));
    int changed_rows = 0;
    for (std::size_t t = 0; t < 98; ++t) {
      int changed = 0;
      for (std::size_t i = 0; i < 20; ++i) {
        changed += rows[t * 20 + i] != plain[t * 20 + i] ? 1 : 0;
      }
      changed_rows += changed == 20 ? 1 : 0;
      hidden_columns = std::max(hidden_columns, changed == 20 ? 0 : changed);
    }
    EXPECT_LE(changed_rows, 20);
    hidden_rows += changed_rows;
  }
  EXPECT_NEAR(hidden_rows / 40.0, 9.5, 3) << "five rows a mask, less what overlaps";
  EXPECT_GT(hidden_columns, 4);
  EXPECT_LE(hidden_columns, 8);
}

/// Every setting of features gives other rows than the default, or another number of them.
TEST(SoundField, EverySettingOfFeaturesCounts) {
  const std::string cell = "tones:1000ms,20dB,#7,5@120+80,3@310+75";
  std::set<Item> seen = {sound()->prepared(sound()->read(cell), std::nullopt)};
  for (const char* setting :
       {R"("features": "kaldi_mfcc")", R"("rate": 8000)", R"("window_ms": 20)", R"("hop_ms": 12.5)",
        R"("window": "povey")", R"("window": "hamming")", R"("window": "blackman")",
        R"("window": "rectangular")", R"("pre_emphasis": 0.97)", R"("filters": 40)",
        R"("scale": "htk")", R"("low_hertz": 100)", R"("high_hertz": 7000)", R"("cepstra": 13)",
        R"("deltas": 1)", R"("deltas": 2)", R"("normalise": "mean")",
        R"("normalise": "mean_and_variance")", R"("splice": 2)"}) {
    const auto field = sound(std::string(", ") + setting);
    EXPECT_TRUE(seen.insert(field->prepared(field->read(cell), std::nullopt)).second) << setting;
  }
}

/// Rows come from the run's folder the second time, and are the same bits.
TEST(SoundField, FramesAreKeptBesideARun) {
  const ScratchDirectory scratch;
  const std::string cell = "tones:1000ms,20dB,#7,5@120+80,3@310+75";
  const std::string settings = R"(, "rate": 8000, "speed": 0.1, "noise": 0.3, "masks": 1)";
  const auto plain = sound(settings);
  const Item item = plain->read(cell);
  const auto bytes = [&scratch] {
    std::error_code none;
    const auto size = std::filesystem::file_size(scratch / "features.cache", none);
    return none ? 0 : size;
  };
  for (const char* when : {"computed", "kept"}) {
    const uintmax_t before = bytes();
    const auto field = sound(settings);
    field->keep_in(scratch / "");
    for (uint64_t example = 0; example < 30; ++example) {
      const RandomKey key{1, 2, example};
      EXPECT_EQ(field->prepared(item, key), plain->prepared(item, key)) << when;
    }
    EXPECT_EQ(field->prepared(item, std::nullopt), plain->prepared(item, std::nullopt)) << when;
    EXPECT_EQ(bytes() == before, std::string(when) == "kept");
  }
  // 21 speeds of about 98 rows of 80 numbers; those with noise, different every time, are not kept.
  EXPECT_LT(bytes(), 22U * 110 * 80 * 4);
  const auto other = sound(settings + R"(, "filters": 40)");
  other->keep_in(scratch / "");
  EXPECT_EQ(numbers_of(other->prepared(item, std::nullopt)).size(), 98U * 40) << "begun anew";
  const ScratchDirectory empty;
  const auto none = sound(settings + R"(, "cache": 0)");
  none->keep_in(empty / "");
  none->prepared(item, std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(empty / "features.cache"));
}

/// In the background, by any number of threads, examples become the same bits.
TEST(SoundField, ThreadsMakeTheSameRows) {
  FieldChoice choice;
  apply(choice, parse_json(R"({"source": {"kind": "sound", "rate": 8000, "speed": 0.1,
    "noise": 0.5, "masks": 1, "column_masks": 1}})",
                           "test"));
  const auto synth = synths().make("tones");
  Cells cells;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const Example example = synth->make(1, i);
    cells.add(example.source, example.target);
  }
  cells.finish();
  const Fields fields = learn_fields(choice.made(), cells, {.target = "characters"});
  CorpusWriter writer(fields, {});
  for (std::int64_t i = 0; i < cells.size(); ++i) {
    writer.add(cells.source(i), cells.target(i));
  }
  const Corpus corpus = writer.finish();
  ASSERT_EQ(corpus.size(), 40);
  std::vector<std::int64_t> all(40);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<std::int64_t>(i);
  }
  const auto expected = corpus.items(all, EpochKey{3, 1}).source;
  std::vector<std::vector<Item>> made(4);
  std::vector<std::thread> threads;
  for (auto& mine : made) {
    threads.emplace_back([&] { mine = corpus.items(all, EpochKey{3, 1}).source; });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const auto& one : made) {
    EXPECT_EQ(one, expected);
  }
}

TEST(Tones, TestSpeedsWereNeverTrained) {
  const auto synth = synths().make("tones");
  const auto key_lengths = [&synth](Split split) {
    std::pair<int, int> range = {1000, 0};
    for (std::uint64_t i = 0; i < 300; ++i) {
      const Example example = synth->make(5, i, split);
      const Dialling dialling = dialling_of(example.source);
      std::string digits;
      for (const Key& key : dialling.keys) {
        digits += key.digit;
        range.first = std::min(range.first, key.length_ms);
        range.second = std::max(range.second, key.length_ms);
        if (split == Split::test) {
          EXPECT_TRUE(key.length_ms <= 82 || key.length_ms >= 121) << key.length_ms;
        }
      }
      EXPECT_EQ(digits, example.target) << example.source;
      EXPECT_GE(digits.size(), 3U);
      EXPECT_LE(digits.size(), 8U);
    }
    return range;
  };
  const auto trained = key_lengths(Split::train);
  const auto tested = key_lengths(Split::test);
  EXPECT_GE(trained.first, 68);    // 85 ms / 1.25
  EXPECT_LE(trained.second, 144);  // 115 ms / 0.8
  EXPECT_LT(tested.first, 60);
  EXPECT_GT(tested.second, 170);
}

TEST(Tones, NoiseMayBeAsLoudAsTheKeys) {
  const auto synth = synths().make("tones");
  std::set<int> levels;
  for (std::uint64_t i = 0; i < 500; ++i) {
    levels.insert(dialling_of(synth->make(5, i).source).noise_db);
  }
  EXPECT_EQ(*levels.begin(), 0);
  EXPECT_EQ(*levels.rbegin(), 20);
}

}  // namespace
}  // namespace heed::sound_field_test
