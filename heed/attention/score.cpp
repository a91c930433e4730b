#include "heed/attention/score.h"

namespace heed {

Tensor Score::operator()(const Tensor& query, const Tensor& prepared,
                         const Tensor& /*past*/) const {
  const auto lowered = lower(query, prepared);
  require(lowered.has_value(), "score: saw a part with neither a definition nor a description");
  return evaluate(*lowered);
}

void require_equal_widths(const ScoreWidths& widths, const char* who) {
  require(widths.query == widths.key,
          "{}: the query has {} channels and the keys have {}, which must be equal here; use "
          "bilinear or additive, or heads with projections",
          who, widths.query, widths.key);
}

}  // namespace heed
