#include "heed/data/curriculum.h"

#include <algorithm>
#include <cmath>

#include "heed/config/limits.h"

namespace heed {

void Curriculum::describe(Describer& d) {
  d.setting(
      "steps", steps,
      {.help = "T: from this step on all examples are trained on; before it, a growing share of "
               "the shortest; 0: all from the first step on",
       .least = 0,
       .most = most_steps});
  d.setting("from", from,
            {.help = "c0: share of the examples, the shortest, that training begins with",
             .least = 1e-6,
             .most = 1});
  d.setting(
      "power", power,
      {.help = "p: 1: the share grows steadily; above 1: fast at first", .least = 0.1, .most = 10});
}

double Curriculum::share(std::int64_t step) const {
  if (step >= steps) {
    return 1;
  }
  const double first = std::pow(from, power);
  const double done = static_cast<double>(step) / static_cast<double>(steps);
  return std::min(1.0, std::pow(first + (1 - first) * done, 1 / power));
}

}  // namespace heed
