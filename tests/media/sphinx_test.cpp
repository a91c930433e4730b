// AN4's own cepstra, made in 1991's tradition by CMU Sphinx, and ours of the same recordings
// ($HEED_DATA/an4_mfcc, 51 utterances).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "heed/base/gzip_file.h"
#include "heed/base/line_reader.h"
#include "heed/media/sound_features.h"
#include "heed/media/sound_file.h"

namespace heed::sphinx_test {
namespace {

constexpr std::size_t width = 13;

/// Name → rows, of both splits.
std::map<std::string, std::vector<float>> published_cepstra(const std::string& folder) {
  std::map<std::string, std::vector<float>> all;
  for (const std::string split : {"train", "test"}) {
    const std::string numbers = read_gzip_or_plain(folder + split + ".f32.gz");
    LineReader lines(folder + split + ".tsv");
    for (std::string line; lines.next(line);) {
      const std::size_t tab = line.find('\t');
      char* rest = nullptr;
      const std::size_t first = std::strtoul(line.c_str() + tab, &rest, 10);
      const std::size_t count = std::strtoul(rest, nullptr, 10);
      std::vector<float> rows(count * width);
      std::memcpy(rows.data(), numbers.data() + first * width * 4, rows.size() * 4);
      all[line.substr(0, tab)] = rows;
    }
  }
  return all;
}

/// Name → bytes of the files in an archive: blocks of 512, a header (name at 0, size in octal at
/// 124) before each file.
std::map<std::string, std::string> unpacked(const std::string& archive) {
  std::map<std::string, std::string> files;
  for (std::size_t at = 0; at + 512 <= archive.size() && archive[at] != '\0';) {
    const std::string name = archive.c_str() + at;
    const std::size_t size = std::stoul(archive.substr(at + 124, 11), nullptr, 8);
    files[name] = archive.substr(at + 512, size);
    at += 512 + (size + 511) / 512 * 512;
  }
  return files;
}

TEST(Sphinx, CepstraOfAn4AreReproduced) {
  const char* data = std::getenv("HEED_DATA");
  if (data == nullptr) {
    GTEST_SKIP() << "needs $HEED_DATA/an4_mfcc; set HEED_DATA";
  }
  const std::string folder = std::string(data) + "/an4_mfcc/";
  const auto published = published_cepstra(folder);
  const SoundFeatures features(feature_preset("sphinx"));
  int recordings = 0;
  double worst = 0;
  for (const auto& [path, bytes] : unpacked(read_gzip_or_plain(folder + "wav_sample.tar.gz"))) {
    if (!path.ends_with(".wav")) {
      continue;
    }
    const std::size_t slash = path.rfind('/') + 1;
    const std::string name = path.substr(slash, path.size() - slash - 4);
    const Sound sound = decode_sound(std::as_bytes(std::span(bytes)), name);
    ASSERT_EQ(sound.rate, 16'000);
    const std::vector<float> rows = features(sound.samples);
    const std::vector<float>& expected = published.at(name);
    ASSERT_EQ(rows.size(), expected.size()) << name;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      worst = std::max<double>(worst, std::abs(rows[i] - expected[i]));
    }
    ++recordings;
  }
  EXPECT_EQ(recordings, 51);
  EXPECT_LT(worst, 1e-4) << "cepstra lie between about −3 and 9";
}

}  // namespace
}  // namespace heed::sphinx_test
