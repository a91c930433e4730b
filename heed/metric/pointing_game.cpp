#include "heed/metric/pointing_game.h"

#include <algorithm>
#include <charconv>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::string_view before_boxes = " ||| ";
constexpr std::string_view wanted_form =
    "a caption, |||, and places such as 1-2 0.1,0.2,0.35,0.4 (first-last left,top,right,bottom)";

std::vector<std::string_view> split_at(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(mark));
    if (!part.empty()) {
      parts.push_back(part);
    }
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return parts;
}

/// Reads a whole text as a number.
template <class Number>
bool is_read(std::string_view text, Number& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc{} && end == text.data() + text.size();
}

bool is_read(std::string_view words, std::string_view edges, NamedBox& named) {
  const std::size_t dash = words.find('-');
  const std::vector<std::string_view> four = split_at(edges, ',');
  if (dash == std::string_view::npos || four.size() != 4) {
    return false;
  }
  PictureBox& box = named.box;
  return is_read(words.substr(0, dash), named.first) &&
         is_read(words.substr(dash + 1), named.last) && is_read(four[0], box.left) &&
         is_read(four[1], box.top) && is_read(four[2], box.right) && is_read(four[3], box.bottom) &&
         box.left >= 0 && box.left < box.right && box.right <= 1 && box.top >= 0 &&
         box.top < box.bottom && box.bottom <= 1;
}

}  // namespace

GoldCaption read_gold_caption(std::string_view line, std::string_view who) {
  const std::size_t mark = line.find(before_boxes);
  if (mark == std::string_view::npos) {
    fail(Fault::file, "{}: \"{}\" must be {}", who, line.substr(0, 60), wanted_form);
  }
  GoldCaption gold;
  for (const std::string_view word : split_at(line.substr(0, mark), ' ')) {
    gold.words.emplace_back(word);
  }
  const std::vector<std::string_view> parts =
      split_at(line.substr(mark + before_boxes.size()), ' ');
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    NamedBox named;
    const bool is_whole = i + 1 < parts.size() && is_read(parts[i], parts[i + 1], named) &&
                          named.first <= named.last && named.last < gold.words.size();
    if (!is_whole) {
      fail(Fault::file, "{}: the place \"{}\" must be {} of words that the caption has", who,
           parts[i].substr(0, 40), wanted_form);
    }
    gold.boxes.push_back(named);
  }
  return gold;
}

void PointingGame::add(const std::vector<std::string>& words, const std::vector<WeightGrid>& grids,
                       const GoldCaption& gold) {
  require(grids.size() >= words.size(),
          "pointing: saw {} words and the weights of {}, needs a grid for each word", words.size(),
          grids.size());
  for (const NamedBox& named : gold.boxes) {
    ++places_;
    const auto from = static_cast<std::ptrdiff_t>(named.first);
    const auto to = static_cast<std::ptrdiff_t>(named.last) + 1;
    if (named.last >= words.size() ||
        !std::equal(words.begin() + from, words.begin() + to, gold.words.begin() + from)) {
      continue;
    }
    ++said_;
    hits_ += points_inside(grids[named.last], named.box) ? 1 : 0;
    mass_ += mass_inside(grids[named.last], named.box);
  }
}

}  // namespace heed
