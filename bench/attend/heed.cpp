// heed's side of bench/attend: the attention operator alone, fused or composed.
//
//   bench_attend SCORE NORMALISER FOCUS WAY REPORT PASS B H T S D CLOCK
//
// WAY fused or compose, REPORT none, argmax, entropy or weights, PASS forward or both. Says
// "ready", then reads from each line how often to look and answers with the seconds of each look.
#include <time.h>

#include <iostream>
#include <limits>
#include <optional>
#include <string>

#include "heed/attention/focuses.h"
#include "heed/attention/fused.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/backend/all/register_backends.h"
#include "heed/nn/pass.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/compare.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// Windows of 64 slots to either side.
class Wide : public SilentDescriber {
 public:
  using SilentDescriber::setting;
  void setting(const char* /*name*/, int64_t& value, const About& /*about*/) override {
    value = 64;
  }
};

struct Asked {
  std::string score, normaliser, focus, way, report;
  bool trains = false;
  int64_t b = 0, h = 0, t = 0, s = 0, d = 0;
};

class Looker {
 public:
  explicit Looker(const Asked& asked)
      : asked_(asked),
        place_{&find_backend("cpu"), DType::f32},
        score_(make_part(scores(), asked.score)),
        normaliser_(make_part(normalisers(), asked.normaliser)),
        query_(normal({asked.b, asked.h, 1, asked.t, asked.d}, 1)),
        keys_(normal({asked.b, asked.h, asked.s, asked.d}, 2)),
        values_(normal({asked.b, asked.h, asked.s, asked.d}, 3)),
        seed_(normal({asked.b, asked.h, 1, asked.t, asked.d}, 4)) {
    Init init(place_, 7);
    score_->build({asked.d, asked.d, asked.h, 1}, init);
    const std::vector<int32_t> rows(static_cast<size_t>(asked.b), static_cast<int32_t>(asked.t));
    const std::vector<int32_t> slots(static_cast<size_t>(asked.b), static_cast<int32_t>(asked.s));
    geometry_ = Geometry(
        {.queries = Layout::packed(rows, place_), .memory_lengths = slots, .place = place_});
    focus_.push_back(make_part(focuses(), asked.focus));
    Wide wide;
    focus_[0]->describe(wide);
    for (Tensor* leaf : {&query_, &keys_, &values_}) {
      leaf->watch();
    }
  }

  void look() {
    std::optional<NoGrad> quiet;
    if (!asked_.trains) {
      quiet.emplace();
    }
    const Where where =
        where_to_look(focus_, {geometry_, query_, Tensor(), asked_.s, asked_.trains});
    const Tensor prepared = score_->prepare(keys_);
    const Tensor contexts =
        asked_.way == "fused" ? fused(where, prepared) : composed(where, prepared);
    if (asked_.trains) {
      contexts.backward(seed_);
      for (Tensor* leaf : {&query_, &keys_, &values_}) {
        leaf->clear_gradient();
      }
    }
  }

 private:
  Tensor normal(const Shape& shape, uint64_t number) const {
    return Tensor::random(shape, Distribution::normal, {1, 0, number}, place_);
  }

  Tensor fused(const Where& where, const Tensor& prepared) const {
    return attend_fused({.score = *score_->lower(query_, prepared),
                         .normaliser = *normaliser_->lower(),
                         .where = where,
                         .values = values_,
                         .dropout = {},
                         .wants_weights = asked_.report == "weights",
                         .wants_argmax = asked_.report == "argmax",
                         .wants_entropy = asked_.report == "entropy"})
        .contexts;
  }

  /// As attention/attend.cpp composes it.
  Tensor composed(const Where& where, const Tensor& prepared) const {
    const Tensor slot = slot_numbers(asked_.s, query_);
    const Tensor open = within(slot, unsqueeze(where.lo, 4), unsqueeze(where.hi, 4));
    const Tensor closed = Tensor::full({1}, -std::numeric_limits<double>::infinity(), place_);
    const Tensor scores = select(open, (*score_)(query_, prepared, Tensor()), closed);
    Pass pass = Pass::serving();
    const Tensor weights = (*normaliser_)(scores, unsqueeze(where.count, 4), pass).weights;
    return matmul(weights, unsqueeze(values_, 2));
  }

  Asked asked_;
  Place place_;
  std::unique_ptr<Score> score_;
  std::unique_ptr<Normaliser> normaliser_;
  std::vector<std::unique_ptr<Focus>> focus_;
  Geometry geometry_;
  Tensor query_, keys_, values_, seed_;
};

double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

int answer(int count, char** words) {
  if (count != 13) {
    std::cerr << "usage: bench_attend SCORE NORMALISER FOCUS WAY REPORT PASS B H T S D CLOCK\n";
    return 2;
  }
  register_backends();
  Asked asked{words[1], words[2], words[3], words[4], words[5], std::string(words[6]) == "both"};
  int64_t* const sizes[] = {&asked.b, &asked.h, &asked.t, &asked.s, &asked.d};
  for (int i = 0; i < 5; ++i) {
    *sizes[i] = std::stoll(words[7 + i]);
  }
  const clockid_t clock =
      std::string(words[12]) == "cpu" ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  Looker looker(asked);
  std::cout << "ready" << std::endl;
  int looks = 0;
  while (std::cin >> looks) {
    for (int i = 0; i < looks; ++i) {
      const double begin = now(clock);
      looker.look();
      std::cout << now(clock) - begin << (i + 1 < looks ? " " : "");
    }
    std::cout << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace heed

int main(int count, char** words) { return heed::answer(count, words); }
