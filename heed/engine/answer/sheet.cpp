#include "heed/engine/answer/sheet.h"

#include <algorithm>
#include <cstring>

#include "heed/base/error.h"

namespace heed {
namespace {

Picture picture_seen(const Field& field, const Source& source) {
  const Item rows = field.prepared(field.reading(source).item, std::nullopt);
  const GridExtent size = field.form().grid();
  Picture picture{size.width, size.height, {}};
  picture.pixels.resize(rows.size());
  std::transform(rows.begin(), rows.end(), picture.pixels.begin(),
                 [](std::byte value) { return std::to_integer<uint8_t>(value); });
  return picture;
}

}  // namespace

PictureSheet picture_sheet(const Seen& seen, const TrainedModel& trained, const Source& source,
                           bool with_ends) {
  require(seen.grid.height > 0, "sheet: saw a source that is no picture, needs one");
  HeatMap map = heat_map(seen, with_ends);
  return {picture_seen(*trained.fields.source, source), std::move(map.rows), seen.grid.height,
          seen.grid.width, std::move(map.weights)};
}

SoundSheet sound_sheet(const Seen& seen, const TrainedModel& trained, const Source& source,
                       bool with_ends) {
  require(!seen.seconds.empty(), "sheet: saw a source that is no recording, needs one");
  const Field& field = *trained.fields.source;
  const HeatMap map = heat_map(seen, with_ends);
  SoundSheet sheet;
  sheet.bands = field.form().width();
  sheet.start = seen.seconds.front();
  sheet.end = seen.seconds.back();
  const Item rows = field.prepared(field.reading(source).item, std::nullopt);
  sheet.features.resize(rows.size() / sizeof(float));
  if (!rows.empty()) {
    std::memcpy(sheet.features.data(), rows.data(), rows.size());
  }
  sheet.words = map.rows;
  sheet.slots = seen.seconds;
  sheet.weights = map.weights;
  return sheet;
}

}  // namespace heed
