#include "heed/engine/answer/source_slots.h"

#include "heed/base/error.h"

namespace heed {
namespace {

/// The cells from the top left, row by row.
std::vector<std::string> cells_of(const GridExtent& grid) {
  std::vector<std::string> cells;
  for (int32_t row = 0; row < grid.height; ++row) {
    for (int32_t column = 0; column < grid.width; ++column) {
      cells.push_back(fmt::format("{},{}", row, column));
    }
  }
  return cells;
}

}  // namespace

SourceSlots source_slots(const TrainedModel& trained, const ReadSource& read) {
  const RowForm form = trained.fields.source->form();
  const int64_t stride = trained.model->front().stride();
  if (form.has_pixels() && !read.item.empty()) {
    const auto cells = [stride](int32_t pixels) {
      return static_cast<int32_t>((pixels + stride - 1) / stride);
    };
    const GridExtent grid{cells(form.grid().height), cells(form.grid().width)};
    return {cells_of(grid), {}, grid};
  }
  const std::vector<std::string> rows = trained.fields.source->labels(read);
  const int64_t rows_of_slot = stride * trained.model->encoder().stride();
  SourceSlots slots;
  for (size_t row = 0; row < rows.size(); row += static_cast<size_t>(rows_of_slot)) {
    slots.labels.push_back(rows[row]);
  }
  const std::vector<double> seconds = trained.fields.source->seconds(read);
  for (size_t row = 0; row < seconds.size(); row += static_cast<size_t>(rows_of_slot)) {
    slots.seconds.push_back(seconds[row]);
  }
  if (!seconds.empty()) {
    const double step = seconds.size() > 1 ? seconds[1] - seconds[0] : 0.01;
    slots.seconds.push_back(seconds.back() + step);
  }
  return slots;
}

Seen seen_in(SourceSlots slots, bool columns_end) {
  Seen seen;
  seen.columns = std::move(slots.labels);
  seen.columns_end = columns_end;
  seen.grid = slots.grid;
  seen.seconds = std::move(slots.seconds);
  return seen;
}

}  // namespace heed
