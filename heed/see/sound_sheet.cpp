#include "heed/see/sound_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/see/base64.h"
#include "heed/see/sheet.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

constexpr Rgb label_colour = {27, 39, 51};
constexpr double spectrogram_px = 120;
constexpr double row_px = 22;
constexpr double time_px = 28;

void check_sound(const SoundSheet& sheet) {
  const std::size_t slots = sheet.slots.empty() ? 0 : sheet.slots.size() - 1;
  require(sheet.bands > 0 && !sheet.features.empty() && sheet.end > sheet.start &&
              sheet.weights.size() == sheet.words.size() * slots,
          "sheet: saw {} features of {} bands from {} to {} s and {} weights of {} words and {} "
          "slots, needs a recording and a weight for each",
          sheet.features.size(), sheet.bands, sheet.start, sheet.end, sheet.weights.size(),
          sheet.words.size(), slots);
}

/// Where things lie on a sheet of pixels.
struct Places {
  double left = 0;
  double width = 0;  // of the time axis
  double title_width = 0;
  double top = 0;
  double seconds = 1;
  double start = 0;
  std::size_t rows = 0;

  explicit Places(const SoundSheet& sheet)
      : title_width(title_width_px(sheet.title)),
        top(sheet.title.empty() ? gap_px : 3 * gap_px + title_px),
        seconds(sheet.end - sheet.start),
        start(sheet.start),
        rows(sheet.words.size()) {
    for (const std::string& word : sheet.words) {
      left = std::max(left, column_px * static_cast<double>(display_width(short_label(word))));
    }
    left += 2 * gap_px;
    width = std::clamp(160 * seconds, 480.0, 2400.0);
  }
  double x(double second) const { return left + width * (second - start) / seconds; }
  double row_top(std::size_t row) const {
    return top + spectrogram_px + gap_px + row_px * static_cast<double>(row);
  }
  double bottom() const { return row_top(rows); }
  double sheet_width() const { return std::max(left + width, title_width) + 3 * gap_px; }
  double sheet_height() const { return bottom() + time_px; }
};

std::string tick_label(double second) { return fmt::format("{:g} s", second); }

/// The spectrogram alone, a pixel for each.
Canvas spectrogram(const SoundSheet& sheet, const SoundShades& shades, int width, int height) {
  Canvas canvas(width, height);
  for (int y = 0; y < height; ++y) {
    const double band = (height - 0.5 - y) / height * static_cast<double>(sheet.bands);
    for (int x = 0; x < width; ++x) {
      const double second = sheet.start + (x + 0.5) / width * (sheet.end - sheet.start);
      canvas.blend(x, y, ramp(shades.sound_at(second, band)));
    }
  }
  return canvas;
}

std::string hex_colour(Rgb colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

/// A line of the terminal without what nobody sees.
std::string ended(const std::string& line, Colour colour) {
  if (colour != Colour::none) {
    return line + std::string(colour_end) + "\n";
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string axis_line(const SoundSheet& sheet, std::size_t margin, std::size_t columns) {
  std::string line(margin + columns, ' ');
  const double step = (sheet.end - sheet.start) / static_cast<double>(columns);
  for (const double second : ticks(sheet.start, sheet.end, static_cast<int>(columns / 10))) {
    const auto at = margin + static_cast<std::size_t>(std::max(0.0, (second - sheet.start) / step));
    const std::string label = "'" + tick_label(second);
    if (at + label.size() <= line.size()) {
      line.replace(at, label.size(), label);
    }
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

SoundShades::SoundShades(const SoundSheet& sheet) : sheet_(sheet) {
  check_sound(sheet);
  const auto [least, most] = std::minmax_element(sheet.features.begin(), sheet.features.end());
  least_ = *least;
  most_ = *most;
  const auto count = static_cast<std::ptrdiff_t>(sheet.slots.size()) - 1;
  for (std::size_t word = 0; word < sheet.words.size(); ++word) {
    const auto row = sheet.weights.begin() + static_cast<std::ptrdiff_t>(word) * count;
    heaviest_.push_back(*std::max_element(row, row + count));
  }
}

double SoundShades::sound_at(double second, double band) const {
  const auto count = static_cast<double>(sheet_.frames());
  const double share = (second - sheet_.start) / (sheet_.end - sheet_.start);
  const auto row = static_cast<std::size_t>(std::clamp(share * count, 0.0, count - 1));
  const auto column =
      static_cast<std::size_t>(std::clamp(band, 0.0, static_cast<double>(sheet_.bands - 1)));
  const float value = sheet_.features[row * static_cast<std::size_t>(sheet_.bands) + column];
  return most_ > least_ ? static_cast<double>((value - least_) / (most_ - least_)) : 0;
}

double SoundShades::weight_at(size_t word, double second) const {
  const std::vector<double>& slots = sheet_.slots;
  const auto behind = std::upper_bound(slots.begin(), slots.end(), second);
  if (behind == slots.begin() || behind == slots.end()) {
    return 0;
  }
  const auto slot = static_cast<std::size_t>(behind - slots.begin()) - 1;
  return darkness(sheet_.weights[word * (slots.size() - 1) + slot], heaviest_[word]);
}

double SoundShades::weight_in(size_t word, double from, double until) const {
  const std::vector<double>& slots = sheet_.slots;
  double most = weight_at(word, (from + until) / 2);
  const auto first = std::lower_bound(slots.begin(), slots.end(), from);
  // The slot before may have its middle behind `from`.
  for (auto slot = first == slots.begin() ? first : first - 1;
       slot + 1 < slots.end() && *slot < until; ++slot) {
    const double middle = (*slot + *(slot + 1)) / 2;
    if (middle >= from && middle < until) {
      most = std::max(most, weight_at(word, middle));
    }
  }
  return most;
}

std::vector<double> ticks(double start, double end, int most) {
  double step = std::pow(10, std::floor(std::log10(std::max(end - start, 1e-3))) - 1);
  for (const double times : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
    if ((end - start) / (step * times) <= std::max(most, 1) || times == 100.0) {
      step *= times;
      break;
    }
  }
  std::vector<double> all;
  for (double n = std::ceil(start / step - 1e-9); n * step <= end + 1e-9; ++n) {
    all.push_back(n * step + 0.0);  // −0 becomes 0
  }
  return all;
}

Canvas painted(const SoundSheet& sheet) {
  const SoundShades shades(sheet);
  const Places places(sheet);
  Canvas canvas(static_cast<int>(places.sheet_width()), static_cast<int>(places.sheet_height()));
  const Canvas sound =
      spectrogram(sheet, shades, static_cast<int>(places.width), static_cast<int>(spectrogram_px));
  for (int y = 0; y < sound.height(); ++y) {
    for (int x = 0; x < sound.width(); ++x) {
      canvas.blend(static_cast<int>(places.left) + x, static_cast<int>(places.top) + y,
                   sound.at(x, y));
    }
  }
  if (!sheet.title.empty()) {
    canvas.write(gap_px, gap_px + font_px, drawn_label(sheet.title),
                 {.ink = label_colour, .px = title_px, .is_bold = true});
  }
  for (std::size_t word = 0; word < sheet.words.size(); ++word) {
    const std::string label = short_label(sheet.words[word]);
    const double middle = places.row_top(word) + row_px / 2;
    canvas.write(places.left - gap_px, middle, label, {.ink = label_colour, .anchor = Anchor::end});
    for (std::size_t slot = 0; slot + 1 < sheet.slots.size(); ++slot) {
      const double x = places.x(sheet.slots[slot]);
      canvas.fill(x, places.row_top(word) + 1, places.x(sheet.slots[slot + 1]) - x, row_px - 2,
                  ramp(shades.weight_at(word, sheet.slots[slot])));
    }
  }
  for (const double second : ticks(sheet.start, sheet.end, 12)) {
    canvas.fill(places.x(second), places.bottom(), 1, 6, label_colour);
    canvas.write(places.x(second) + 3, places.bottom() + time_px / 2, tick_label(second),
                 {.ink = label_colour});
  }
  return canvas;
}

std::string draw_png(const SoundSheet& sheet) { return painted(sheet).png(); }

SvgPart svg_part(const SoundSheet& sheet) {
  const SoundShades shades(sheet);
  const Places places(sheet);
  std::string out = fmt::format(
      R"(<image x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" preserveAspectRatio="none" xlink:href="data:image/png;base64,{}"/>
)",
      places.left, places.top, places.width, spectrogram_px,
      to_base64(spectrogram(sheet, shades, static_cast<int>(places.width),
                            static_cast<int>(spectrogram_px))
                    .png()));
  out += svg_title(sheet.title, gap_px, gap_px + font_px);
  for (std::size_t word = 0; word < sheet.words.size(); ++word) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                       places.left - gap_px, places.row_top(word) + row_px - 7,
                       svg_text(short_label(sheet.words[word])));
    for (std::size_t slot = 0; slot + 1 < sheet.slots.size(); ++slot) {
      const double x = places.x(sheet.slots[slot]);
      out += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x,
          places.row_top(word) + 1, places.x(sheet.slots[slot + 1]) - x, row_px - 2,
          hex_colour(ramp(shades.weight_at(word, sheet.slots[slot]))));
    }
  }
  for (const double second : ticks(sheet.start, sheet.end, 12)) {
    out += fmt::format(
        "<rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"1\" height=\"6\" fill=\"#1b2733\"/>\n<text "
        "x=\"{2:.1f}\" y=\"{3:.1f}\">{4}</text>\n",
        places.x(second), places.bottom(), places.x(second) + 3, places.bottom() + 19,
        tick_label(second));
  }
  return {places.sheet_width(), places.sheet_height(), std::move(out)};
}

std::string draw_svg(const SoundSheet& sheet) {
  return svg_file(svg_part(sheet),
                  sheet.title.empty() ? "attention over a spectrogram" : sheet.title);
}

std::string draw_terminal(const SoundSheet& sheet, const TerminalStyle& style) {
  const SoundShades shades(sheet);
  constexpr int heights = 8;  // lines of the spectrogram
  std::size_t margin = 0;
  std::vector<std::string> labels;
  for (const std::string& word : sheet.words) {
    labels.push_back(shorten(drawn_label(word), 24));
    margin = std::max(margin, display_width(labels.back()));
  }
  ++margin;
  const std::size_t width = style.width == 0 ? 100 : style.width;
  const std::size_t columns = std::max<std::size_t>(width, margin + 20) - margin;
  const auto second_of = [&](double column) {
    return sheet.start + column / static_cast<double>(columns) * (sheet.end - sheet.start);
  };
  std::string out = sheet.title.empty() ? "" : drawn_label(sheet.title) + "\n";
  for (int line = 0; line < heights; ++line) {
    const double band = (heights - 0.5 - line) / heights * static_cast<double>(sheet.bands);
    std::string text(margin, ' ');
    for (std::size_t column = 0; column < columns; ++column) {
      const double second = second_of(static_cast<double>(column) + 0.5);
      text += shaded_columns(style, shades.sound_at(second, band), 1);
    }
    out += ended(text, style.colour);
  }
  for (std::size_t word = 0; word < labels.size(); ++word) {
    std::string text = pad_left(labels[word], margin - 1) + " ";
    for (std::size_t column = 0; column < columns; ++column) {
      const auto at = static_cast<double>(column);
      text += shaded_columns(style, shades.weight_in(word, second_of(at), second_of(at + 1)), 1);
    }
    out += ended(text, style.colour);
  }
  return out + axis_line(sheet, margin, columns);
}

}  // namespace heed
