#include "heed/media/scene.h"

#include <algorithm>
#include <charconv>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::string_view scene_title = "shapes:";
constexpr std::size_t most_scene_parts = 256;

constexpr std::array<std::string_view, 6> kinds_of_shapes = {"circle",  "square", "triangle",
                                                             "diamond", "cross",  "star"};
constexpr std::array<std::string_view, 7> names_of_colours = {"red",  "orange", "yellow", "green",
                                                              "blue", "purple", "grey"};

std::string hexadecimal(const Paint& colour) {
  return fmt::format("{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]);
}

/// The words of one part of a scene, read in order.
class SceneWords {
 public:
  explicit SceneWords(std::string_view part) : part_(part), rest_(part) {}

  std::string_view word() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    const std::string_view next = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(next.size());
    return next;
  }
  std::int64_t number(std::int64_t least, std::int64_t most) {
    const std::string_view digits = word();
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fault != std::errc{} || end != digits.data() + digits.size() || value < least ||
        value > most) {
      refuse(digits, fmt::format("a whole number from {} to {}", least, most));
    }
    return value;
  }
  std::int32_t length(std::int32_t least, std::int32_t most) {
    return static_cast<std::int32_t>(number(least, most));
  }
  std::int32_t place() { return length(-1000, 2000); }
  Paint colour() {
    const std::string_view digits = word();
    std::uint32_t value = 0;
    const auto [end, fault] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 6 || fault != std::errc{} || end != digits.data() + digits.size()) {
      refuse(digits, "a colour, such as d02020");
    }
    return {static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8 & 0xFF),
            static_cast<std::uint8_t>(value & 0xFF)};
  }
  /// Which of these the next word is.
  std::size_t one_of(std::span<const std::string_view> known, std::string_view next) const {
    const auto found = std::find(known.begin(), known.end(), next);
    if (found == known.end()) {
      std::string all;
      for (const std::string_view one : known) {
        all += all.empty() ? "one of: " : ", ";
        all += one;
      }
      refuse(next, all);
    }
    return static_cast<std::size_t>(found - known.begin());
  }
  void finish() {
    if (const std::string_view more = word(); !more.empty()) {
      refuse(more, "nothing more");
    }
  }
  [[noreturn]] void refuse(std::string_view saw, std::string_view needs) const {
    fail(Fault::file, "scene: in \"{1}\" there is \"{0}\" where {2} must be", saw.substr(0, 40),
         part_.substr(0, 80), needs);
  }

 private:
  std::string_view part_;
  std::string_view rest_;
};

void take_ground(SceneWords& words, Scene& scene) {
  scene.ground = words.colour();
  if (const std::string_view next = words.word(); next != "noise") {
    words.refuse(next, "noise");
  }
  scene.noise = words.length(0, 100);
  scene.seed = words.number(0, std::int64_t{1} << 62);
}

SceneLine line_of(SceneWords& words) {
  SceneLine line;
  line.colour = words.colour();
  line.x0 = words.place();
  line.y0 = words.place();
  line.x1 = words.place();
  line.y1 = words.place();
  line.width = words.length(1, 1000);
  return line;
}

SceneShape shape_of(SceneWords& words, std::string_view name) {
  SceneShape shape;
  shape.name = names_of_colours[words.one_of(names_of_colours, name)];
  shape.kind = static_cast<ShapeKind>(words.one_of(kinds_of_shapes, words.word()));
  shape.colour = words.colour();
  shape.x = words.place();
  shape.y = words.place();
  shape.radius = words.length(1, 1000);
  shape.degrees = words.length(0, 359);
  return shape;
}

}  // namespace

std::span<const std::string_view> shape_names() { return kinds_of_shapes; }
std::span<const std::string_view> colour_names() { return names_of_colours; }

bool is_scene(std::string_view text) { return text.starts_with(scene_title); }

std::string write_scene(const Scene& scene) {
  std::string text = fmt::format("{} ground {} noise {} {}", scene_title, hexadecimal(scene.ground),
                                 scene.noise, scene.seed);
  for (const SceneLine& line : scene.lines) {
    text += fmt::format("; line {} {} {} {} {} {}", hexadecimal(line.colour), line.x0, line.y0,
                        line.x1, line.y1, line.width);
  }
  for (const SceneShape& shape : scene.shapes) {
    text += fmt::format("; {} {} {} {} {} {} {}", shape.name,
                        kinds_of_shapes[static_cast<std::size_t>(shape.kind)],
                        hexadecimal(shape.colour), shape.x, shape.y, shape.radius, shape.degrees);
  }
  return text;
}

Scene read_scene(std::string_view text) {
  if (!is_scene(text)) {
    fail(Fault::file, "scene: \"{}\" must be a text that begins with {}", text.substr(0, 40),
         scene_title);
  }
  text.remove_prefix(scene_title.size());
  Scene scene;
  for (std::size_t parts = 0; !text.empty(); ++parts) {
    const std::string_view part = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    SceneWords words(part);
    const std::string_view first = words.word();
    if (parts == most_scene_parts) {
      words.refuse(first, fmt::format("at most {} parts", most_scene_parts));
    }
    if (first == "ground") {
      take_ground(words, scene);
    } else if (first == "line") {
      scene.lines.push_back(line_of(words));
    } else {
      scene.shapes.push_back(shape_of(words, first));
    }
    words.finish();
  }
  return scene;
}

}  // namespace heed
