#include "heed/base/shuffle.h"

#include <numeric>
#include <utility>

#include "heed/base/philox.h"

namespace heed {

std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed,
                                        std::uint64_t epoch) {
  const Draws draws(RandomKey{seed, epoch, stream_named("shuffled_order")});
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[draws.below(i - 1, i)]);
  }
  return order;
}

}  // namespace heed
