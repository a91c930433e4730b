// Diverse beam search (Vijayakumar 2016): at each step G groups of beam/G hypotheses choose one
// after another; a word costs λ for each time that an earlier group chose it at this step.
//
//   merit = log p(Y) − λ · #(the word among earlier groups' choices at this position)
//
// log p(Y) itself does not contain the penalty, so finished hypotheses of all groups are
// comparable.
#include <algorithm>

#include "heed/config/limits.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/compare.h"
#include "heed/ops/concat.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/ops/slice.h"
#include "heed/ops/stack.h"
#include "heed/search/sentence_settings.h"
#include "heed/search/strategies.h"

namespace heed {
namespace {

class DiverseGroups : public Strategy {
 public:
  void describe(Describer& d) override {
    d.setting("diverse", diverse_,
              {.help = "number of groups of the beam, which avoid each other's words",
               .least = 1,
               .most = most_beam});
    d.setting("diversity", diversity_,
              {.help = "for --diverse: the penalty of a word for each earlier group that chose it",
               .least = 0,
               .most = most_factor});
  }
  std::unique_ptr<Strategy> copy() const override { return std::make_unique<DiverseGroups>(*this); }
  void prepare(const SentenceSettings& settings) override {
    if (settings.beam % diverse_ != 0) {
      fail(Fault::usage,
           "diverse: {} groups cannot share a beam of {} equally; choose a beam that is a multiple "
           "of them",
           diverse_, settings.beam);
    }
    beam_ = kept_by(settings);
  }
  std::vector<double> likeness() const override {
    return {static_cast<double>(diverse_), static_cast<double>(beam_), diversity_};
  }
  int64_t beams() const override { return diverse_; }
  /// Groups of equal size, of one hypothesis at least.
  int64_t fitting_beam(int64_t beam, bool is_given) const override {
    const int64_t least = std::max(beam, diverse_);
    return is_given ? least : (least + diverse_ - 1) / diverse_ * diverse_;
  }
  /// Groups that choose the same words again show nothing new.
  bool wants_distinct_texts() const override { return true; }
  int64_t width() const override { return beam_ / diverse_; }
  int64_t words_per_row() const override {
    // As many as may be penalised, and as many that are not.
    return 2 * beam_ + special_words();
  }

  Chosen choose(const StepScores& scores) override {
    const Candidates all = scores.frontier.candidates(scores.words);
    const int64_t sentences = all.ids.size(0) / diverse_;
    const auto group = [&](const Tensor& x, int64_t g) {  // [F, n] → [B, n]
      const Tensor by_sentence = reshape(x, {sentences, diverse_, x.size(1)});
      return squeeze(slice(by_sentence, 1, g, 1), 1);
    };
    std::vector<Chosen> chosen;
    Tensor taken;  // [B, earlier choices]; −1: none
    for (int64_t g = 0; g < diverse_; ++g) {
      const Candidates own{group(all.ids, g), group(all.log_probability, g), group(all.total, g),
                           all.words_per_row};
      Tensor merit = without_words(own.total, own.ids, suppressed());
      if (taken.defined()) {
        const Tensor same = equal(unsqueeze(own.ids, 2), unsqueeze(taken, 1));  // [B, n, earlier]
        merit = merit - affine(cast(sum(same, {2}), merit.dtype()), diversity_);
      }
      chosen.push_back(best_of(own, merit, most_chosen()));
      const Tensor kept = kept_words(chosen.back());
      taken = taken.defined() ? concat({taken, kept}, 1) : kept;
    }
    return side_by_side(chosen);
  }

 private:
  /// The words that a group keeps, [B, width]; −1 where it has no hypotheses left.
  Tensor kept_words(const Chosen& chosen) const {
    const int64_t count = std::min(width(), chosen.ids.size(1));
    const Tensor ids = slice(chosen.ids, 1, 0, count);
    const Tensor total = slice(chosen.total, 1, 0, count);
    return select(less(-std::numeric_limits<double>::infinity(), total), ids, -1);
  }
  /// Joins the groups' choices [B, C] sentence by sentence: [B · G, C].
  Chosen side_by_side(const std::vector<Chosen>& chosen) const {
    const auto joined = [&](Tensor Chosen::*field) {
      std::vector<Tensor> parts;
      for (const Chosen& one : chosen) {
        parts.push_back(one.*field);
      }
      const Tensor all = stack(parts, 1);  // [B, G, C]
      return reshape(all, {all.size(0) * all.size(1), all.size(2)});
    };
    return {joined(&Chosen::ids), joined(&Chosen::number), joined(&Chosen::log_probability),
            joined(&Chosen::total), chosen.front().words_per_row};
  }

  int64_t diverse_ = 1;     // G
  double diversity_ = 0.5;  // λ
  int64_t beam_ = 1;
};

}  // namespace

std::unique_ptr<Strategy> diverse_strategy() { return std::make_unique<DiverseGroups>(); }

}  // namespace heed
