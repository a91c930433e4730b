// Lexically constrained search by dynamic beam allocation (Post & Vilar 2018). With C words in all
// phrases there are banks 0 … C; a hypothesis that contains c of these words belongs to bank c.
//
//   candidates  the likeliest words of each hypothesis, and every word that continues a phrase
//   slots       ⌊beam / (C + 1)⌋ for each bank; the rest, and what a bank cannot fill, for the
//               highest banks
//
// A sentence ends only when it contains all phrases, and no word is allowed after which the length
// limit would leave too little room for the missing ones. So every result contains the phrases.
//
// The bank of a hypothesis depends on all its words, so the device proposes candidates, each once and
// best first, and the host fills the banks.
#include <algorithm>
#include <limits>

#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/compare.h"
#include "heed/ops/concat.h"
#include "heed/ops/gather.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/running_sum.h"
#include "heed/ops/select.h"
#include "heed/search/phrases.h"
#include "heed/search/sentence_search.h"
#include "heed/search/strategies.h"

namespace heed {
namespace {

using Phrases = std::vector<std::vector<int32_t>>;

constexpr double lowest = -std::numeric_limits<double>::infinity();

/// 1 where a word may follow, else 0.
Tensor open_words(const Tensor& log_probability) {
  return cast(less(lowest, log_probability), log_probability.dtype());
}

/// A row's words with those that it wants behind them, −∞ where they are among them already.
RowWords with_wanted(const RowWords& likely, const Strategy::StepScores& scores) {
  const Tensor& wanted = scores.wanted;
  const Tensor logits = squeeze(gather_rows(unsqueeze(scores.logits, 2), wanted), 2);
  const Tensor log_p = logits - likely.most - likely.loss;
  const Tensor same = equal(unsqueeze(wanted, 2), unsqueeze(likely.ids, 1));  // [Q, U, k]
  const Tensor open = unsqueeze(open_words(likely.log_probability), 1);
  const Tensor is_there = max(cast(same, open.dtype()) * open, 2);
  const Tensor is_new = select(less(-1, wanted), affine(is_there, -1, 1), 0);
  RowWords all = likely;
  all.ids = concat({likely.ids, wanted}, 1);
  all.log_probability = concat({likely.log_probability, select(is_new, log_p, lowest)}, 1);
  return all;
}

class Constrained : public Strategy {
 public:
  std::unique_ptr<Strategy> copy() const override { return std::make_unique<Constrained>(*this); }
  void prepare(const SentenceSettings& settings) override { width_ = kept_by(settings); }
  std::vector<double> likeness() const override { return {static_cast<double>(width_)}; }
  int64_t width() const override { return width_; }
  /// Enough for a few banks.
  int64_t fitting_beam(int64_t beam, bool is_given) const override {
    return is_given ? beam : std::max<int64_t>(beam, 5);
  }

  Chosen choose(const StepScores& scores) override {
    RowWords words = scores.words;
    // As many of a row as may follow it, however many its neighbours' rules close.
    const Tensor rank = running_sum(open_words(words.log_probability));
    const Tensor is_too_many = less(static_cast<double>(words_per_row()) + 0.5, rank);
    words.log_probability = select(is_too_many, lowest, words.log_probability);
    const Candidates all =
        scores.frontier.candidates(scores.wanted.defined() ? with_wanted(words, scores) : words);
    return best_of(all, all.total, all.total.size(1));
  }

  bool follows_words() const override { return true; }
  std::vector<TokenId> wanted_words(const SentenceSearch& sentence, const Beam& beam,
                                    const LiveHypothesis& live) const override {
    const Phrases& phrases = sentence.options.phrases;
    return words_onward(progress_of(beam.tree.words(live.node), phrases), phrases);
  }
  void narrow(const SentenceSearch& sentence, const Beam& beam,
              std::vector<Candidate>& candidates) const override {
    if (sentence.options.phrases.empty()) {
      return;
    }
    Banks banks;
    for (const Candidate& candidate : candidates) {
      place(candidate, beam.tree.words(beam.live[candidate.parent].node), sentence, banks);
    }
    candidates = allocated(banks, sentence.options.phrases);
  }

 private:
  using Banks = std::vector<std::vector<Candidate>>;

  /// Puts a candidate into its bank, unless it may not end or leaves too little room for what is
  /// missing.
  void place(const Candidate& candidate, std::vector<int32_t> tokens,
             const SentenceSearch& sentence, Banks& banks) const {
    const bool ends = candidate.id == specials().end();
    if (!ends) {
      tokens.push_back(candidate.id);
    }
    const PhraseProgress after = progress_of(tokens, sentence.options.phrases);
    const int64_t room = ends ? 0 : sentence.limit - sentence.length - 1;
    if (static_cast<int64_t>(after.missing) <= room) {
      banks.resize(std::max(banks.size(), after.words + 1));
      banks[after.words].push_back(candidate);
    }
  }

  /// Divides the slots among the banks and returns who gets one, best first.
  std::vector<Candidate> allocated(const Banks& banks, const Phrases& phrases) const {
    size_t words = 0;
    for (const auto& phrase : phrases) {
      words += phrase.size();
    }
    const auto slots = static_cast<size_t>(width_);
    std::vector<size_t> share(banks.size(), 0);
    size_t given = 0;
    for (size_t b = 0; b < banks.size(); ++b) {
      share[b] = std::min(banks[b].size(), slots / (words + 1));
      given += share[b];
    }
    for (size_t b = banks.size(); b-- > 0;) {
      const size_t more = std::min(banks[b].size() - share[b], slots - given);
      share[b] += more;
      given += more;
    }
    std::vector<Candidate> kept;
    for (size_t b = 0; b < banks.size(); ++b) {
      kept.insert(kept.end(), banks[b].begin(),
                  banks[b].begin() + static_cast<std::ptrdiff_t>(share[b]));
    }
    std::stable_sort(kept.begin(), kept.end(), [](const Candidate& a, const Candidate& b) {
      return a.log_probability > b.log_probability;
    });
    return kept;
  }

  int64_t width_ = 1;
};

}  // namespace

std::unique_ptr<Strategy> constrained_strategy() { return std::make_unique<Constrained>(); }

}  // namespace heed
