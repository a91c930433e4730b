#include "heed/metric/clipped_ngrams.h"

#include <algorithm>

#include "heed/metric/segment.h"

namespace heed {
namespace {

std::size_t nearest_length(std::size_t length, const std::vector<std::u32string>& references) {
  const auto distance = [&](std::size_t other) {
    return other > length ? other - length : length - other;
  };
  std::size_t best = references.front().size();
  for (const std::u32string& reference : references) {
    const std::size_t other = reference.size();
    if (distance(other) < distance(best) || (distance(other) == distance(best) && other < best)) {
      best = other;
    }
  }
  return best;
}

}  // namespace

NgramCounts::NgramCounts(const WordList& output, std::span<const WordList> references) {
  WordNumbers numbers;
  const std::u32string said = numbers.of(output);
  std::vector<std::u32string> wanted;
  wanted.reserve(references.size());
  for (const WordList& reference : references) {
    wanted.push_back(numbers.of(reference));
  }
  length = static_cast<double>(said.size());
  reference_length = static_cast<double>(nearest_length(said.size(), wanted));
  for (std::size_t n = 1; n <= orders; ++n) {
    Ngrams most;
    for (const std::u32string& reference : wanted) {
      for (const auto& [ngram, times] : count_ngrams(reference, n)) {
        long& so_far = most[ngram];
        so_far = std::max(so_far, times);
      }
    }
    common[n - 1] = static_cast<double>(heed::common(count_ngrams(said, n), most));
    total[n - 1] = static_cast<double>(ngrams_in(said.size(), n));
  }
}

NgramCounts::NgramCounts(const Statistics& sum) : length(sum[0]), reference_length(sum[1]) {
  std::copy_n(sum.begin() + 2, orders, common.begin());
  std::copy_n(sum.begin() + 2 + orders, orders, total.begin());
}

Statistics NgramCounts::statistics() const {
  Statistics all = {length, reference_length};
  all.insert(all.end(), common.begin(), common.end());
  all.insert(all.end(), total.begin(), total.end());
  return all;
}

bool NgramCounts::matches_nothing() const {
  return std::all_of(common.begin(), common.end(), [](double n) { return n == 0; });
}

}  // namespace heed
