#include "heed/model/stacked_reports.h"

#include "heed/ops/grid.h"
#include "heed/ops/stack.h"

namespace heed {

Attended StackedReports::as_rows(const Layout& layout) const {
  Attended out;
  if (steps_.empty()) {
    return out;
  }
  for (Tensor Attended::*field : Attended::by_row()) {
    if (!(steps_.front().*field).defined()) {
      continue;
    }
    std::vector<Tensor> values;
    for (const Attended& step : steps_) {
      values.push_back(step.*field);
    }
    out.*field = to_rows(stack(values, 1), layout);
  }
  out.past = steps_.back().past;
  return out;
}

}  // namespace heed
