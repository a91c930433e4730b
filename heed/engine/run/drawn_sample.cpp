#include "heed/engine/run/drawn_sample.h"

#include <new>

#include "heed/engine/answer/in_words.h"
#include "heed/engine/answer/picture_sheet.h"
#include "heed/engine/answer/sound_sheet.h"
#include "heed/see/png.h"
#include "heed/see/svg.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

/// The translation without the words after the first `most_drawn_words`.
Translation cut(Translation words) {
  if (words.target.size() > most_drawn_words) {
    words.target.resize(most_drawn_words);
    words.ended = false;
  }
  if (words.weights.size() > words.target.size()) {
    words.weights.resize(words.target.size());
  }
  return words;
}

void draw(Sample& sample, const Translation& words, const TrainedModel& trained,
          const std::string& cell) {
  HeatMap map = drawn_map(words, false);
  map.title = shorten(drawn_label(cell), 60);
  if (map.rows.empty()) {
    return;
  }
  if (words.grid.height > 0) {
    PictureSheet sheet = picture_sheet(words, trained, cell, false);
    sheet.title = map.title;
    sample.svg = draw_svg(sheet);
    sample.png = draw_png(sheet);
  } else if (!words.seconds.empty()) {
    SoundSheet sheet = sound_sheet(words, trained, cell, false);
    sheet.title = map.title;
    sample.svg = draw_svg(sheet);
    sample.png = draw_png(sheet);
  } else {
    sample.svg = draw_svg(map);
    sample.png = draw_png(map, {.scale = 1});
  }
}

}  // namespace

Sample drawn_sample(const Translation& translation, const TrainedModel& trained,
                    const std::string& cell, const RunHooks& hooks) {
  Sample sample{.output = translation.text, .svg = {}, .png = {}};
  if (translation.weights.empty()) {
    return sample;
  }
  const auto give_up = [&](const char* why) {
    sample.svg.clear();
    sample.png.clear();
    hooks.warn(fmt::format("a sample is shown without its drawing: {}", why));
  };
  try {
    draw(sample, cut(in_words(translation, trained)), trained, cell);
  } catch (const Error& error) {
    give_up(error.what());
  } catch (const std::bad_alloc&) {
    give_up("there is not enough memory for it");
  }
  return sample;
}

}  // namespace heed
