#include "heed/data/feature_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "heed/base/error.h"
#include "tests/base/scratch_directory.h"
#include "tests/base/temporary_place.h"

namespace heed::feature_cache_test {
namespace {

class FeatureCaches : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  FeatureCache open(const std::string& network = std::string(64, 'a'),
                    uint64_t most = 1 << 20) const {
    return {folder_, network, most};
  }
  static FeatureCache::Key key(uint8_t number) {
    return FeatureCache::key_of({1, 1}, {number, 0, 0});
  }
  static CachedGrid grid(float first) { return {{2, 1}, 3, {first, 2, 3, 4, 5, 6}}; }
  std::string file() const { return folder_ + "/features.cache"; }
  /// Changes a byte of the file, counted from its end.
  void damage(int64_t from_end) const {
    std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(-from_end, std::ios::end);
    const auto byte = static_cast<char>(bytes.peek() ^ 0x40);
    bytes.seekp(-from_end, std::ios::end);
    bytes.put(byte);
  }

  std::string folder_ = ::testing::TempDir() + "heed_features";
};

TEST_F(FeatureCaches, FindWhatWasAdded) {
  CachedGrid found;
  {
    FeatureCache cache = open();
    EXPECT_FALSE(cache.find(key(1), found));
    cache.add(key(1), grid(1));
    cache.add(key(2), grid(-7));
    EXPECT_TRUE(cache.find(key(1), found));
    EXPECT_EQ(found, grid(1));
  }
  FeatureCache again = open();
  EXPECT_EQ(again.size(), 2U);
  EXPECT_TRUE(again.find(key(2), found));
  EXPECT_EQ(found, grid(-7));
  EXPECT_FALSE(again.find(key(3), found));
  EXPECT_EQ(open(std::string(64, 'b')).size(), 0U);  // another network
  EXPECT_EQ(open().size(), 0U);
}

TEST(NamelessFeatureCaches, LeaveNoFile) {
  const ScratchDirectory scratch;
  const test::TemporaryPlace place(scratch.path());
  {
    FeatureCache cache = FeatureCache::nameless(std::string(64, 'a'), 1 << 20);
    const FeatureCache::Key key = FeatureCache::key_of({1, 1}, {1, 0, 0});
    const CachedGrid grid{{2, 1}, 3, {1, 2, 3, 4, 5, 6}};
    cache.add(key, grid);
    CachedGrid found;
    EXPECT_TRUE(cache.find(key, found));
    EXPECT_EQ(found, grid);
    EXPECT_GT(cache.bytes(), 64U);
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  }
}

TEST_F(FeatureCaches, AreNeverWrittenThroughALink) {
  std::filesystem::create_directories(folder_);
  const std::string other = folder_ + "/notes.txt";
  for (const bool is_there : {true, false}) {
    std::filesystem::remove(file());
    std::filesystem::remove(other);
    if (is_there) {
      std::ofstream(other) << "precious";
    }
    std::filesystem::create_symlink(other, file());
    EXPECT_THROW(open(), Error);
    EXPECT_EQ(std::filesystem::exists(other), is_there);
    EXPECT_TRUE(!is_there || std::filesystem::file_size(other) == 8);
  }
}

TEST_F(FeatureCaches, TellPicturesApart) {
  const std::vector<uint8_t> pixels(18, 5);
  EXPECT_NE(FeatureCache::key_of({2, 3}, pixels), FeatureCache::key_of({3, 2}, pixels));
  std::vector<uint8_t> other = pixels;
  other.back() = 6;
  EXPECT_NE(FeatureCache::key_of({2, 3}, pixels), FeatureCache::key_of({2, 3}, other));
}

/// A grid that a killed process left half written counts as not there, and is written over.
TEST_F(FeatureCaches, DoNotBelieveWhatIsDamaged) {
  const auto fill = [this] {
    std::filesystem::remove_all(folder_);
    FeatureCache cache = open();
    cache.add(key(1), grid(1));
    cache.add(key(2), grid(2));
  };
  CachedGrid found;
  fill();
  damage(1);
  EXPECT_TRUE(open().find(key(1), found));
  EXPECT_FALSE(open().find(key(2), found));
  fill();
  damage(24 + 1);  // the highest byte of the number of channels, which is then absurd
  EXPECT_EQ(open().size(), 1U);
  fill();
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 3);
  FeatureCache cache = open();
  EXPECT_EQ(cache.size(), 1U);
  cache.add(key(2), grid(9));
  EXPECT_TRUE(cache.find(key(2), found));
  EXPECT_EQ(found, grid(9));
}

TEST_F(FeatureCaches, GrowToTheirLimit) {
  FeatureCache cache = open(std::string(64, 'a'), 80 + 100);  // the beginning and one grid
  cache.add(key(1), grid(1));
  cache.add(key(2), grid(2));
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(std::filesystem::file_size(file()), 180U);
}

TEST_F(FeatureCaches, SayWhenTheyCannotBeOpened) {
  std::filesystem::create_directories(file());  // a directory of that name
  try {
    open();
    FAIL() << "there is no file";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::disk);
  }
  FeatureCache cache = FeatureCache(folder_ + "/below", std::string(64, 'a'), 1 << 20);
  EXPECT_THROW(cache.add(key(1), {{2, 2}, 3, {1}}), Error);
}

}  // namespace
}  // namespace heed::feature_cache_test
