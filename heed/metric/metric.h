// How good a corpus of outputs is, against one or several references for each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// What one output may say; at least one, each as good as the next.
using References = std::vector<std::string>;

/// Every score is on the scale of 0 to 100 (error rates may pass 100), and of the whole corpus: not
/// all of them are means over its sentences.
class Metric {
 public:
  virtual ~Metric() = default;

  /// As the catalogue lists it.
  virtual std::string_view name() const = 0;
  virtual bool higher_is_better() const = 0;

  /// `references[i]` belong to `hypotheses[i]`; throws unless the two match and nothing is empty.
  double score(std::span<const std::string> hypotheses,
               std::span<const References> references) const;

 protected:
  /// As `score`, on what it has checked.
  virtual double compute(std::span<const std::string> hypotheses,
                         std::span<const References> references) const = 0;
};

}  // namespace heed
