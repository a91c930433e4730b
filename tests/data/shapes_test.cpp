#include "heed/data/synth/shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "heed/data/synths.h"

namespace heed::shapes_test {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

using Pairs = std::set<std::pair<std::string, std::string>>;

/// The pairs of colour and shape that a caption names, by its words alone.
Pairs pairs_of(const std::string& caption) {
  Pairs pairs;
  const std::vector<std::string> words = words_of(caption);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto& shapes = shape_names();
    if (std::find(shapes.begin(), shapes.end(), words[i]) != shapes.end()) {
      pairs.emplace(words[i - 1], words[i]);
    }
  }
  return pairs;
}

TEST(Shapes, SayWhatIsWhere) {
  EXPECT_EQ(caption_of(read_scene("shapes: blue square 0000ff 700 500 70 0; grey star 777777 100 "
                                  "100 170 0; red circle ff0000 300 400 110 0")),
            "a red circle left of a small blue square");
  EXPECT_EQ(caption_of(read_scene("shapes: orange cross ff8800 300 200 180 0; green star 00ff00 "
                                  "400 800 120 0; orange diamond ff8800 500 300 120 0")),
            "a large orange cross above a green star below an orange diamond");
}

TEST(Shapes, NameThePlacesOfTheirWords) {
  const std::string cell =
      "shapes: blue square 0000ff 700 500 70 0; red circle ff0000 300 400 110 0";
  const std::vector<NamedPlace> places = named_places(cell);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[0].first, 1U);
  EXPECT_EQ(places[0].last, 2U);
  EXPECT_EQ(places[0].box.left, 190);
  EXPECT_EQ(places[0].box.bottom, 510);
  EXPECT_EQ(places[1].first, 6U);
  EXPECT_EQ(places[1].last, 8U);
  const auto synth = synths().make("shapes");
  for (std::uint64_t index = 0; index < 300; ++index) {
    const Example example = synth->make(3, index);
    const std::vector<std::string> words = words_of(example.target);
    const Scene scene = read_scene(example.source);
    for (const NamedPlace& place : named_places(example.source)) {
      ASSERT_LT(place.last, words.size());
      const std::string& article = words[place.first - 1];
      EXPECT_TRUE(article == "a" || article == "an") << example.target;
      // The box is that of a shape with this colour and kind.
      bool is_there = false;
      for (const SceneShape& shape : scene.shapes) {
        const SceneBox box = box_of(shape);
        is_there =
            is_there || (shape.name == words[place.last - 1] &&
                         shape_names()[static_cast<std::size_t>(shape.kind)] == words[place.last] &&
                         box.left == place.box.left && box.top == place.box.top);
      }
      EXPECT_TRUE(is_there) << example.source;
    }
  }
}

TEST(Shapes, TheTestHasPairsThatTrainingNeverShows) {
  const auto synth = synths().make("shapes");
  std::map<Split, Pairs> named;
  for (const Split split : {Split::train, Split::valid, Split::test}) {
    for (std::uint64_t index = 0; index < 1000; ++index) {
      const Example example = synth->make(5, index, split);
      const Pairs pairs = pairs_of(example.target);
      named[split].insert(pairs.begin(), pairs.end());
      if (split == Split::test) {
        const bool is_unseen = std::any_of(pairs.begin(), pairs.end(), [](const auto& pair) {
          const auto& shapes = shape_names();
          const auto place = std::find(shapes.begin(), shapes.end(), pair.second);
          return is_unseen_pair(pair.first, static_cast<ShapeKind>(place - shapes.begin()));
        });
        EXPECT_TRUE(is_unseen) << example.target;
      }
    }
  }
  EXPECT_EQ(named[Split::train].size(), 30U);
  EXPECT_EQ(named[Split::valid].size(), 30U);
  EXPECT_EQ(named[Split::test].size(), 36U);
  // Each colour and each shape is known from five other pairs.
  std::map<std::string, int> times;
  for (const auto& [colour, shape] : named[Split::train]) {
    ++times[colour];
    ++times[shape];
  }
  EXPECT_EQ(times.size(), 12U);
  for (const auto& [word, count] : times) {
    EXPECT_EQ(count, 5) << word;
  }
}

TEST(Shapes, HaveManyFormsOfScenes) {
  const auto synth = synths().make("shapes");
  std::map<std::string, int> words;
  std::map<std::size_t, int> counts;
  int overlapping = 0;
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const Example example = synth->make(7, index);
    for (const std::string& word : words_of(example.target)) {
      ++words[word];
    }
    const std::vector<NamedPlace> places = named_places(example.source);
    ++counts[places.size()];
    bool overlaps = false;
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
      const SceneBox& a = places[i].box;
      const SceneBox& b = places[i + 1].box;
      overlaps = overlaps ||
                 (a.right > b.left && b.right > a.left && a.bottom > b.top && b.bottom > a.top);
      EXPECT_GT(a.left, -1);
      EXPECT_GT(a.right - a.left, 90);
    }
    overlapping += overlaps ? 1 : 0;
    const Scene scene = read_scene(example.source);
    EXPECT_GT(scene.shapes.size(), places.size()) << "there are grey ones";
    EXPECT_FALSE(scene.lines.empty());
  }
  EXPECT_GT(overlapping, 50);
  EXPECT_LT(overlapping, 600);
  for (const std::size_t count : {2U, 3U, 4U}) {
    EXPECT_NEAR(counts[count], 333, 130) << count;
  }
  for (const std::string word : {"small", "large", "left", "above", "below"}) {
    EXPECT_GT(words[word], 150) << word;
  }
}

}  // namespace
}  // namespace heed::shapes_test
