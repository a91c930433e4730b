// Collects the reports of consecutive steps, each [B, …], as rows of their sequences, [N, …].
#pragma once

#include <vector>

#include "heed/attention/attention.h"

namespace heed {

class StackedReports {
 public:
  void add(const Attended& step) { steps_.push_back(step); }
  Attended as_rows(const Layout& layout) const;

 private:
  std::vector<Attended> steps_;
};

}  // namespace heed
