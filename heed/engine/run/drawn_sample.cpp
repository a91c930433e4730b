#include "heed/engine/run/drawn_sample.h"

#include <new>

#include "heed/engine/answer/in_words.h"
#include "heed/engine/answer/sheet.h"
#include "heed/see/png.h"
#include "heed/see/svg.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

/// What was seen without the words after the first `most_drawn_words`.
Seen cut(Seen words) {
  if (words.rows.size() > most_drawn_words) {
    words.rows.resize(most_drawn_words);
    words.rows_end = false;
  }
  words.weights.keep_rows(words.rows.size());
  return words;
}

void draw(Sample& sample, const Seen& words, const TrainedModel& trained, const std::string& cell) {
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

Sample drawn_sample(const Reply& reply, const TrainedModel& trained, const std::string& cell,
                    const RunHooks& hooks) {
  Sample sample{.output = reply.text, .svg = {}, .png = {}};
  if (reply.looked().weights.empty()) {
    return sample;
  }
  const auto give_up = [&](const char* why) {
    sample.svg.clear();
    sample.png.clear();
    hooks.warn(fmt::format("a sample is shown without its drawing: {}", why));
  };
  try {
    draw(sample, cut(in_words(reply, trained)), trained, cell);
  } catch (const Error& error) {
    give_up(error.what());
  } catch (const std::bad_alloc&) {
    give_up("there is not enough memory for it");
  }
  return sample;
}

}  // namespace heed
