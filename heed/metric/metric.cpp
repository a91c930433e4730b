#include "heed/metric/metric.h"

#include "heed/base/error.h"

namespace heed {

double Metric::score(std::span<const std::string> hypotheses,
                     std::span<const References> references) const {
  require(!hypotheses.empty(), "{}: saw no hypotheses, needs at least one; give some", name());
  require(hypotheses.size() == references.size(),
          "{}: saw {} hypotheses and references for {}, needs as many; pair them line by line",
          name(), hypotheses.size(), references.size());
  for (std::size_t i = 0; i < references.size(); ++i) {
    require(!references[i].empty(),
            "{}: saw no reference for hypothesis {}, needs at least one; give one", name(), i);
  }
  return compute(hypotheses, references);
}

}  // namespace heed
