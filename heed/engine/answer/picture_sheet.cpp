#include "heed/engine/answer/picture_sheet.h"

#include <algorithm>

namespace heed {
namespace {

Picture picture_seen(const Field& field, const std::string& cell) {
  const Item rows = field.prepared(field.read(cell), std::nullopt);
  const GridExtent size = field.form().grid();
  Picture picture{size.width, size.height, {}};
  picture.pixels.resize(rows.size());
  std::transform(rows.begin(), rows.end(), picture.pixels.begin(),
                 [](std::byte value) { return std::to_integer<uint8_t>(value); });
  return picture;
}

}  // namespace

PictureSheet picture_sheet(const Translation& translation, const TrainedModel& trained,
                           const std::string& cell, bool with_ends) {
  require(translation.grid.height > 0, "sheet: saw a source that is no picture, needs one");
  HeatMap map = heat_map(translation, with_ends);
  return {picture_seen(*trained.fields.source, cell), std::move(map.rows), translation.grid.height,
          translation.grid.width, std::move(map.weights)};
}

}  // namespace heed
