#include "heed/search/host_words.h"

#include <algorithm>
#include <utility>

#include "heed/ops/cross_entropy.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "heed/ops/topk.h"

namespace heed {
namespace {

int64_t most_in(const std::vector<std::vector<TokenId>>& rows) {
  size_t most = 0;
  for (const auto& row : rows) {
    most = std::max(most, row.size());
  }
  return static_cast<int64_t>(most);
}

}  // namespace

HostWords::HostWords(const Tensor& scores, int64_t best, bool is_sum,
                     std::vector<TokenId> suppressed, std::vector<std::vector<TokenId>> closed)
    : best_(best),
      k_(std::clamp<int64_t>(best + most_in(closed), 1, scores.size(1))),
      words_(scores.size(1)),
      suppressed_(std::move(suppressed)),
      closed_(std::move(closed)) {
  const TopK likeliest = topk(scores, k_);
  const Tensor first = squeeze(slice(likeliest.indices, 1, 0, 1), 1).dense();
  const auto loss = cross_entropy(scores, first).values<double>();
  likeliest_ = likeliest.indices.values<int32_t>();
  all_ = scores.values<float>();
  for (size_t row = 0; row < loss.size(); ++row) {
    const auto top = static_cast<size_t>(likeliest_[row * static_cast<size_t>(k_)]);
    constant_.push_back(is_sum ? 0 : -all_[row * static_cast<size_t>(words_) + top] - loss[row]);
  }
}

bool HostWords::is_open(int32_t row, TokenId id) const {
  const auto is_in = [id](const std::vector<TokenId>& words) {
    return std::find(words.begin(), words.end(), id) != words.end();
  };
  return !is_in(suppressed_) && (closed_.empty() || !is_in(closed_[static_cast<size_t>(row)]));
}

/// The most words that are closed to one of a beam's rows.
int64_t HostWords::closed_to(const Beam& beam) const {
  size_t most = 0;
  for (const LiveHypothesis& live : beam.live) {
    most = std::max(most, closed_.empty() ? 0 : closed_[static_cast<size_t>(live.row)].size());
  }
  return static_cast<int64_t>(most);
}

std::vector<Candidate> HostWords::likeliest(const Beam& beam) const {
  const int64_t count = std::min(best_ + closed_to(beam), k_);
  std::vector<Candidate> all;
  for (size_t h = 0; h < beam.live.size(); ++h) {
    const LiveHypothesis& live = beam.live[h];
    for (int64_t rank = 0; rank < count; ++rank) {
      const int32_t id = likeliest_[static_cast<size_t>(live.row * k_ + rank)];
      if (is_open(live.row, id)) {
        all.push_back({h, id, live.log_probability + log_probability(live.row, id)});
      }
    }
  }
  sort_by_log_probability(all);
  return all;
}

void sort_by_log_probability(std::vector<Candidate>& candidates) {
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.log_probability > b.log_probability; });
}

}  // namespace heed
