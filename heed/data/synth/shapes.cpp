// A drawing of two to four coloured shapes → "a red circle left of a small blue square above a
// large green star".
//
// The coloured shapes are named from left to right, each with how it lies to the next: `left of`
// where they are farther apart across, `above` or `below` where they are farther apart up and down.
// Shapes are small, large or neither, which has no word. Grey shapes and lines lie among them,
// unnamed, and the ground is noisy. Shapes may cover a part of each other.
//
// A source is the text of a scene (media/scene.h), which the field `picture` draws.
//
// Six pairs, one of each colour and each shape, never occur in training or validation; every test
// example has one of them. So a model that is right there has learnt colour and shape, and not
// pairs.
#include "heed/data/synth/shapes.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

#include "heed/base/error.h"
#include "heed/data/synths.h"

namespace heed {
namespace {

/// Radii from … to; the word for them, which may be none.
struct ShapeSize {
  std::size_t least;
  std::size_t most;
  std::string_view word;
};

constexpr std::array<ShapeSize, 3> shape_sizes = {
    {{65, 80, "small"}, {105, 125, ""}, {160, 190, "large"}}};

/// The colours of colour_names(), each of whose values is changed a little at random.
constexpr std::array<Paint, 6> shape_colours = {
    {{205, 35, 35}, {240, 130, 20}, {235, 220, 40}, {40, 150, 50}, {40, 70, 205}, {140, 45, 160}}};

std::string_view size_word(std::int32_t radius) {
  for (const ShapeSize& size : shape_sizes) {
    if (static_cast<std::size_t>(radius) <= size.most) {
      return size.word;
    }
  }
  return shape_sizes.back().word;
}

bool is_named(const SceneShape& shape) { return shape.name != colour_names().back(); }

/// The coloured shapes from left to right.
std::vector<SceneShape> named_shapes(const Scene& scene) {
  std::vector<SceneShape> named;
  std::copy_if(scene.shapes.begin(), scene.shapes.end(), std::back_inserter(named), is_named);
  std::stable_sort(named.begin(), named.end(),
                   [](const SceneShape& a, const SceneShape& b) { return a.x < b.x; });
  return named;
}

std::string_view relation_of(const SceneShape& shape, const SceneShape& next) {
  const std::int32_t across = std::abs(next.x - shape.x);
  const std::int32_t down = next.y - shape.y;
  return across >= std::abs(down) ? "left of" : down > 0 ? "above" : "below";
}

std::string phrase_of(const SceneShape& shape) {
  std::string phrase(size_word(shape.radius));
  phrase += phrase.empty() ? "" : " ";
  phrase += shape.name;
  phrase += ' ';
  phrase += shape_names()[static_cast<std::size_t>(shape.kind)];
  return phrase;
}

std::uint8_t near(std::uint8_t value, Dice& dice) {
  const int changed = value + static_cast<int>(dice.below(31)) - 15;
  return static_cast<std::uint8_t>(std::clamp(changed, 0, 255));
}

Paint near(const Paint& colour, Dice& dice) {
  Paint changed{};
  std::transform(colour.begin(), colour.end(), changed.begin(),
                 [&dice](std::uint8_t value) { return near(value, dice); });
  return changed;
}

Paint some_grey(Dice& dice) {
  const auto level = static_cast<std::uint8_t>(dice.between(60, 190));
  return {level, level, level};
}

/// Any shape, at a place where all of it is inside the picture.
SceneShape some_shape(Dice& dice) {
  SceneShape shape;
  shape.kind = static_cast<ShapeKind>(dice.below(shape_names().size()));
  const ShapeSize& size = shape_sizes[dice.below(shape_sizes.size())];
  shape.radius = static_cast<std::int32_t>(dice.between(size.least, size.most));
  const auto margin = static_cast<std::size_t>(shape.radius) * 5 / 4;
  shape.x = static_cast<std::int32_t>(dice.between(margin, 1000 - margin));
  shape.y = static_cast<std::int32_t>(dice.between(margin, 1000 - margin));
  shape.degrees = static_cast<std::int32_t>((dice.below(25) + 348) % 360);  // −12° … 12°
  return shape;
}

/// Whether both can be seen, and which of them is left of the other.
bool are_apart(const SceneShape& a, const SceneShape& b) {
  const std::int64_t across = std::abs(a.x - b.x);
  const std::int64_t down = std::abs(a.y - b.y);
  const std::int64_t reach = a.radius + b.radius;
  return across >= 60 && 100 * (across * across + down * down) >= 64 * reach * reach;
}

/// Whether these, from left to right, can all be seen and their relations are plain.
bool are_clear(const std::vector<SceneShape>& shapes) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = i + 1; j < shapes.size(); ++j) {
      const std::int32_t across = shapes[j].x - shapes[i].x;
      const std::int32_t down = std::abs(shapes[j].y - shapes[i].y);
      const bool is_plain = j > i + 1 || std::abs(across - down) >= 60;
      if (!is_plain || !are_apart(shapes[i], shapes[j])) {
        return false;
      }
    }
  }
  return true;
}

/// Some shapes without colours, from left to right.
std::vector<SceneShape> clear_shapes(std::size_t count, Dice& dice) {
  std::vector<SceneShape> shapes;
  do {
    shapes.clear();
    for (std::size_t i = 0; i < count; ++i) {
      shapes.push_back(some_shape(dice));
    }
    std::sort(shapes.begin(), shapes.end(),
              [](const SceneShape& a, const SceneShape& b) { return a.x < b.x; });
  } while (!are_clear(shapes));
  return shapes;
}

class Shapes : public Synth {
 public:
  std::string_view name() const override { return "shapes"; }
  std::string_view source_field() const override { return "picture"; }
  Split split(const Example& example) const override;
  std::string gold_line(const Example& example) const override;

 protected:
  Example draw(Dice& dice) const override;

 private:
  static void add_grey(Scene& scene, Dice& dice);
};

/// Those with an unseen pair are for testing; the others are divided by their captions.
Split Shapes::split(const Example& example) const {
  const Scene scene = read_scene(example.source);
  const bool is_unseen =
      std::any_of(scene.shapes.begin(), scene.shapes.end(), [](const SceneShape& shape) {
        return is_named(shape) && is_unseen_pair(shape.name, shape.kind);
      });
  if (is_unseen) {
    return Split::test;
  }
  return split_of(example.target) == Split::train ? Split::train : Split::valid;
}

std::string Shapes::gold_line(const Example& example) const {
  std::string line = example.target + " |||";
  for (const NamedPlace& place : named_places(example.source)) {
    line += fmt::format(" {}-{} {:.4f},{:.4f},{:.4f},{:.4f}", place.first, place.last,
                        place.box.left / 1000, place.box.top / 1000, place.box.right / 1000,
                        place.box.bottom / 1000);
  }
  return line;
}

/// Lines, and grey shapes below the coloured ones.
void Shapes::add_grey(Scene& scene, Dice& dice) {
  const auto anywhere = [&dice] { return static_cast<std::int32_t>(dice.below(1001)); };
  const std::size_t lines = dice.between(1, 3);
  for (std::size_t i = 0; i < lines; ++i) {
    scene.lines.push_back({some_grey(dice), anywhere(), anywhere(), anywhere(), anywhere(),
                           static_cast<std::int32_t>(dice.between(8, 25))});
  }
  const std::size_t shapes = dice.between(1, 3);
  for (std::size_t i = 0; i < shapes; ++i) {
    SceneShape shape = some_shape(dice);
    shape.name = colour_names().back();
    shape.colour = some_grey(dice);
    scene.shapes.push_back(std::move(shape));
  }
}

Example Shapes::draw(Dice& dice) const {
  Scene scene;
  scene.ground = near(some_grey(dice), dice);
  scene.noise = static_cast<std::int32_t>(dice.between(5, 25));
  scene.seed = static_cast<std::int64_t>(dice.below(1'000'000'000));
  add_grey(scene, dice);
  std::vector<SceneShape> named = clear_shapes(dice.between(2, 4), dice);
  for (SceneShape& shape : named) {
    const std::size_t colour = dice.below(shape_colours.size());
    shape.name = colour_names()[colour];
    shape.colour = near(shape_colours[colour], dice);
  }
  scene.shapes.insert(scene.shapes.end(), named.begin(), named.end());
  return {write_scene(scene), caption_of(scene)};
}

}  // namespace

std::string caption_of(const Scene& scene) {
  const std::vector<SceneShape> named = named_shapes(scene);
  std::string caption;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (i > 0) {
      caption += ' ';
      caption += relation_of(named[i - 1], named[i]);
      caption += ' ';
    }
    const std::string phrase = phrase_of(named[i]);
    caption += phrase.starts_with('o') ? "an " : "a ";
    caption += phrase;
  }
  return caption;
}

std::vector<NamedPlace> named_places(std::string_view cell) {
  std::vector<NamedPlace> places;
  std::size_t word = 0;
  const auto words_of = [](std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1;
  };
  const std::vector<SceneShape> named = named_shapes(read_scene(cell));
  for (std::size_t i = 0; i < named.size(); ++i) {
    word += 1 + (i > 0 ? words_of(relation_of(named[i - 1], named[i])) : 0);
    const std::size_t count = words_of(phrase_of(named[i]));
    places.push_back({word, word + count - 1, box_of(named[i])});
    word += count;
  }
  return places;
}

bool is_unseen_pair(std::string_view colour, ShapeKind kind) {
  // Colour i goes without shape 5 i + 2 modulo 6: each colour and each shape once.
  const auto place = std::find(colour_names().begin(), colour_names().end(), colour);
  const auto number = static_cast<std::size_t>(place - colour_names().begin());
  return number < shape_colours.size() &&
         (5 * number + 2) % shape_names().size() == static_cast<std::size_t>(kind);
}

std::unique_ptr<Synth> shapes() { return std::make_unique<Shapes>(); }

}  // namespace heed
