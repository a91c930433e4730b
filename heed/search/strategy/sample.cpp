// Sampling, each sample on its own:
//
//   q_i ∝ p_i^(1/T)       T: temperature
//   kept: the k largest q_i, of these the fewest that reach probability p together (Holtzman 2020)
//   word = the first, in order of id, whose cumulative share of what is kept exceeds u
//
// u is keyed by (seed, sentence, sample, position): neither batches nor threads show.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "heed/base/philox.h"
#include "heed/search/strategies.h"
#include "heed/text/vocabulary.h"

namespace heed {
namespace {

class Sampling : public Strategy {
 public:
  void prepare(const SearchOptions& options) override {
    if (!(options.temperature > 0) || !std::isfinite(options.temperature)) {
      fail(Fault::usage,
           "sample: saw temperature {}, needs a number above 0; for 0 search greedily",
           options.temperature);
    }
    if (!(options.top_p > 0 && options.top_p <= 1)) {
      fail(Fault::usage, "sample: saw top-p {}, needs a probability above 0 and at most 1",
           options.top_p);
    }
    options_ = options;
  }
  int64_t beams() const override { return options_.n_best; }
  int64_t width() const override { return 1; }
  Wanted wanted() const override { return {.is_all = true}; }

  std::vector<Candidate> rank(const SentenceSearch& sentence, size_t beam,
                              const Next& next) override {
    const Live& live = sentence.beams[beam].live.front();
    const Draws draws({options_.seed, static_cast<uint64_t>(sentence.wish.number), beam});
    const int32_t id =
        draw(next, live.row, draws.uniform_double(static_cast<uint64_t>(sentence.said)));
    const double log_p = live.said.log_probability + next.of(live.row, id);
    return {{log_p, 0, id, log_p}};
  }

 private:
  int32_t draw(const Next& next, int32_t row, double u) {
    temper(next, row);
    keep_likeliest();
    const double total = std::accumulate(share_.begin(), share_.end(), 0.0);
    double reached = 0;
    int32_t last = Vocabulary::end;
    for (size_t id = 0; id < share_.size(); ++id) {
      if (share_[id] > 0) {
        reached += share_[id] / total;
        last = static_cast<int32_t>(id);
        if (reached > u) {
          break;
        }
      }
    }
    return last;
  }

  /// share_[i] = p_i^(1/T), the likeliest scaled to 1.
  void temper(const Next& next, int32_t row) {
    share_.assign(static_cast<size_t>(next.words()), 0);
    double most = -std::numeric_limits<double>::infinity();
    for (int32_t id = 0; id < next.words(); ++id) {
      most = id == Vocabulary::start ? most : std::max(most, next.of(row, id));
    }
    for (int32_t id = 0; id < next.words(); ++id) {
      if (id != Vocabulary::start) {
        share_[static_cast<size_t>(id)] =
            std::exp((next.of(row, id) - most) / options_.temperature);
      }
    }
  }

  void keep_likeliest() {
    if (options_.top_k == 0 && options_.top_p == 1) {
      return;
    }
    order_.resize(share_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [this](int32_t a, int32_t b) { return share_[a] > share_[b]; });
    size_t kept = options_.top_k == 0
                      ? order_.size()
                      : std::min(order_.size(), static_cast<size_t>(options_.top_k));
    double total = 0;
    for (size_t rank = 0; rank < kept; ++rank) {
      total += share_[order_[rank]];
    }
    double reached = 0;
    for (size_t rank = 0; rank < kept && options_.top_p < 1; ++rank) {
      reached += share_[order_[rank]];
      kept = reached >= options_.top_p * total ? rank + 1 : kept;
    }
    for (size_t rank = kept; rank < order_.size(); ++rank) {
      share_[order_[rank]] = 0;
    }
  }

  SearchOptions options_;
  std::vector<double> share_;
  std::vector<int32_t> order_;
};

}  // namespace

std::unique_ptr<Strategy> sample_strategy() { return std::make_unique<Sampling>(); }

}  // namespace heed
