#include "heed/engine/answer/sound_sheet.h"

#include <cstring>

namespace heed {

SoundSheet sound_sheet(const Translation& translation, const TrainedModel& trained,
                       const std::string& cell, bool with_ends) {
  require(!translation.seconds.empty(), "sheet: saw a source that is no recording, needs one");
  const Field& field = *trained.fields.source;
  const HeatMap map = heat_map(translation, with_ends);
  SoundSheet sheet;
  sheet.bands = field.form().width();
  sheet.start = translation.seconds.front();
  sheet.end = translation.seconds.back();
  const Item rows = field.prepared(field.read(cell), std::nullopt);
  sheet.features.resize(rows.size() / sizeof(float));
  if (!rows.empty()) {
    std::memcpy(sheet.features.data(), rows.data(), rows.size());
  }
  sheet.words = map.rows;
  sheet.slots = translation.seconds;
  sheet.weights = map.weights;
  return sheet;
}

}  // namespace heed
