// A program outside the project with a metric of its own, which overrides all that a metric may say of two texts. It prints what
// differs.
#include <cstdio>
#include <memory>

#include "heed/extend.h"

namespace {

class Same : public heed::Metric {
 public:
  std::string_view name() const override { return "same"; }
  bool higher_is_better() const override { return true; }
  heed::Traits traits() const override { return {}; }
  using Metric::score;
  double score(const heed::Statistics& sum) const override { return 100 * sum[0] / sum[1]; }
  bool compares_by_units() const override { return true; }
  std::vector<heed::AlignedUnits> aligned(const std::string& hypothesis,
                                          const heed::References& references) const override {
    return {{heed::EditStep::substitution, references.front(), hypothesis}};
  }

 protected:
  heed::Statistics count(const std::string& hypothesis,
                         const heed::References& references) const override {
    return {hypothesis == references.front() ? 1.0 : 0.0, 1};
  }
};

}  // namespace

int main() {
  heed::metrics().add(
      {"same", {}, "100 #{h_i = r_i} / N", [] { return std::make_unique<Same>(); }});
  const auto metric = heed::metrics().make("same");
  for (const heed::AlignedUnits& one : metric->aligned("two", {"too"})) {
    std::printf("%s > %s\n", one.reference.c_str(), one.output.c_str());
  }
}
