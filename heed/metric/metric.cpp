#include "heed/metric/metric.h"

#include "heed/base/error.h"
#include "heed/metric/edit_alignment.h"
#include "heed/text/utf8.h"

namespace heed {

std::vector<Statistics> Metric::statistics(std::span<const std::string> hypotheses,
                                           std::span<const References> references) const {
  require(!hypotheses.empty(), "{}: there are no hypotheses; give at least one", name());
  require(hypotheses.size() == references.size(),
          "{}: there are {} hypotheses and references for {}; pair them line by line", name(),
          hypotheses.size(), references.size());
  for (std::size_t i = 0; i < references.size(); ++i) {
    require(!references[i].empty(), "{}: hypothesis {} has no reference; give one", name(), i);
    check_utf8(name(), hypotheses[i]);
    for (const std::string& reference : references[i]) {
      check_utf8(name(), reference);
    }
  }
  const std::unique_ptr<Metric> informed = informed_by(references);
  const Metric& counter = informed ? *informed : *this;
  std::vector<Statistics> all;
  all.reserve(hypotheses.size());
  for (std::size_t i = 0; i < references.size(); ++i) {
    all.push_back(counter.count(hypotheses[i], references[i]));
  }
  return all;
}

std::vector<AlignedUnits> Metric::aligned(const std::string& /*hypothesis*/,
                                          const References& /*references*/) const {
  return {};
}

double Metric::score(std::span<const std::string> hypotheses,
                     std::span<const References> references) const {
  return score(sum_of(statistics(hypotheses, references)));
}

Statistics sum_of(std::span<const Statistics> sentences) {
  Statistics sum = sentences.front();
  for (const Statistics& one : sentences.subspan(1)) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += one[i];
    }
  }
  return sum;
}

}  // namespace heed
