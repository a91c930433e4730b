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
// The bank of a hypothesis depends on all its words, so this strategy ranks on the host and reads
// all scores of every step; the others do not.
#include <algorithm>

#include "heed/search/phrases.h"
#include "heed/search/sentence_settings.h"
#include "heed/search/strategies.h"

namespace heed {
namespace {

using Phrases = std::vector<std::vector<int32_t>>;

class Constrained : public Strategy {
 public:
  void prepare(const SentenceSettings& settings) override { width_ = kept_by(settings); }
  bool is_prepared_for(const SentenceSettings& settings) const override {
    return width_ == kept_by(settings);
  }
  int64_t width() const override { return width_; }
  bool is_on_host() const override { return true; }

  std::vector<Candidate> rank(const SentenceSearch& sentence, const Beam& from,
                              const HostWords& words) override {
    const Phrases& phrases = sentence.options.phrases;
    if (phrases.empty()) {
      return words.likeliest(from);
    }
    Banks banks;
    for (const Candidate& candidate : gathered(sentence, from, words)) {
      place(candidate, from.tree.words(from.live[candidate.parent].node), sentence, banks);
    }
    return allocated(banks, phrases);
  }

 private:
  using Banks = std::vector<std::vector<Candidate>>;

  /// The candidates, each once, best first.
  static std::vector<Candidate> gathered(const SentenceSearch& sentence, const Beam& from,
                                         const HostWords& words) {
    std::vector<Candidate> all = words.likeliest(from);
    for (size_t parent = 0; parent < from.live.size(); ++parent) {
      const LiveHypothesis& live = from.live[parent];
      const PhraseProgress so_far =
          progress_of(from.tree.words(live.node), sentence.options.phrases);
      for (const int32_t id : words_onward(so_far, sentence.options.phrases)) {
        all.push_back({parent, id, live.log_probability + words.log_probability(live.row, id)});
      }
    }
    return distinct(all);
  }

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

  static std::vector<Candidate> distinct(const std::vector<Candidate>& all) {
    std::vector<Candidate> kept;
    for (const Candidate& candidate : all) {
      const bool is_new = std::none_of(kept.begin(), kept.end(), [&](const Candidate& other) {
        return other.parent == candidate.parent && other.id == candidate.id;
      });
      if (is_new) {
        kept.push_back(candidate);
      }
    }
    sort_by_log_probability(kept);
    return kept;
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
    sort_by_log_probability(kept);
    return kept;
  }

  int64_t width_ = 1;
};

}  // namespace

std::unique_ptr<Strategy> constrained_strategy() { return std::make_unique<Constrained>(); }

}  // namespace heed
