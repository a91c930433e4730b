#include "heed/search/ctc_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "heed/attention/chosen_weights.h"
#include "heed/base/error.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

constexpr double lost = -std::numeric_limits<double>::infinity();

/// The paths that have led to a prefix so far.
struct Reached {
  double in_word = lost;   // ln of the probability of those that end with its last word,
  double in_blank = lost;  // and of those that end with a blank

  double total() const { return log_add(in_word, in_blank); }
};

/// Prefixes as a tree: node 0 is the empty one, every other adds a word to its parent.
class PrefixTree {
 public:
  size_t child(size_t node, TokenId word) {
    const auto [found, is_new] = children_.try_emplace({node, word}, nodes_.size());
    if (is_new) {
      nodes_.push_back({node, word});
    }
    return found->second;
  }
  TokenId last(size_t node) const { return nodes_[node].word; }
  size_t parent(size_t node) const { return nodes_[node].parent; }
  std::vector<TokenId> words(size_t node) const {
    std::vector<TokenId> words;
    for (; node != 0; node = nodes_[node].parent) {
      words.push_back(nodes_[node].word);
    }
    std::reverse(words.begin(), words.end());
    return words;
  }

 private:
  struct Node {
    size_t parent = 0;
    TokenId word = SpecialTokens::none;
  };
  std::vector<Node> nodes_ = {{}};
  std::map<std::pair<size_t, TokenId>, size_t> children_;
};

struct Kept {
  size_t node = 0;
  Reached reached;
};

/// The likeliest words of a frame that a prefix may be extended by.
std::vector<TokenId> likeliest_of_frame(const CtcFrames& frames, int64_t frame, int64_t count,
                                        const std::vector<bool>& is_open) {
  std::vector<TokenId> words;
  for (TokenId word = 0; word < static_cast<TokenId>(frames.words); ++word) {
    if (is_open[static_cast<size_t>(word)]) {
      words.push_back(word);
    }
  }
  const auto kept = std::min(words.size(), static_cast<size_t>(count));
  std::partial_sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(kept), words.end(),
                    [&](TokenId a, TokenId b) {
                      const double p = frames.at(frame, a);
                      const double q = frames.at(frame, b);
                      return p != q ? p > q : a < b;
                    });
  words.resize(kept);
  return words;
}

/// Which words a target may contain: neither the blank nor those that are closed.
std::vector<bool> open_words(const CtcFrames& frames, std::span<const TokenId> closed) {
  std::vector<bool> is_open(static_cast<size_t>(frames.words), true);
  is_open[static_cast<size_t>(frames.blank)] = false;
  for (const TokenId word : closed) {
    is_open[static_cast<size_t>(word)] = false;
  }
  return is_open;
}

/// The prefixes after one more frame.
std::map<size_t, Reached> reached_after(const CtcFrames& frames, int64_t frame,
                                        std::span<const TokenId> words,
                                        const std::vector<Kept>& before, PrefixTree& tree) {
  std::map<size_t, Reached> next;
  for (const Kept& kept : before) {
    const Reached& from = kept.reached;
    Reached& same = next[kept.node];
    same.in_blank = log_add(same.in_blank, from.total() + frames.at(frame, frames.blank));
    const TokenId last = tree.last(kept.node);
    if (last != SpecialTokens::none) {
      same.in_word = log_add(same.in_word, from.in_word + frames.at(frame, last));
    }
    for (const TokenId word : words) {
      const double enters = word == last ? from.in_blank : from.total();
      if (enters > lost) {
        Reached& longer = next[tree.child(kept.node, word)];
        longer.in_word = log_add(longer.in_word, enters + frames.at(frame, word));
      }
    }
  }
  return next;
}

/// The best `beam` of them, by their paths and the language model.
std::vector<Kept> best_of(const std::map<size_t, Reached>& all, int64_t beam,
                          const PrefixTree& tree, PrefixLanguage* language) {
  std::vector<std::pair<double, Kept>> ranked;
  for (const auto& [node, reached] : all) {
    if (language != nullptr && !language->has(node)) {
      language->add(node, tree.parent(node), tree.last(node));
    }
    const double said = language != nullptr ? language->of(node) : 0;
    ranked.push_back({reached.total() + said, {node, reached}});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  ranked.resize(std::min(ranked.size(), static_cast<size_t>(beam)));
  std::vector<Kept> kept;
  std::vector<size_t> nodes;
  for (const auto& [score, one] : ranked) {
    kept.push_back(one);
    nodes.push_back(one.node);
  }
  if (language != nullptr) {
    language->keep(nodes);
  }
  return kept;
}

std::vector<Hypothesis> found_in(const CtcFrames& frames, const Framewise& decoder,
                                 const SearchOptions& options) {
  std::vector<TokenId> closed = suppressed_words(decoder.specials(), options);
  closed.push_back(decoder.specials().end());
  std::vector<Hypothesis> found;
  std::optional<PrefixLanguage> language;
  if (options.language_model != nullptr && options.lm_weight > 0) {
    language.emplace(*options.language_model, options.lm_weight);
  }
  const auto all =
      options.beam > 1 || language
          ? likeliest_prefixes(frames, options.beam, closed, language ? &*language : nullptr)
          : std::vector<std::vector<TokenId>>{best_path(frames, closed)};
  std::set<std::vector<TokenId>> texts;
  for (const std::vector<TokenId>& path : all) {
    const std::vector<TokenId> words = separated_once(path, decoder.specials().separator());
    if (!texts.insert(words).second) {
      continue;
    }
    Hypothesis one;
    one.ids = words;
    one.ended = true;
    one.log_probability = ctc_log_probability(frames, words);
    one.score = one.log_probability + (language ? language->of_target(words) : 0);
    if (options.weights) {
      one.weights = slot_spikes(frames, words);
    }
    found.push_back(std::move(one));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  found.resize(std::min(found.size(), static_cast<size_t>(options.n_best)));
  return found;
}

}  // namespace

std::vector<TokenId> best_path(const CtcFrames& frames, std::span<const TokenId> closed) {
  std::vector<bool> is_open = open_words(frames, closed);
  is_open[static_cast<size_t>(frames.blank)] = true;
  std::vector<TokenId> words;
  TokenId before = frames.blank;
  for (int64_t t = 0; t < frames.count; ++t) {
    const TokenId best = likeliest_of_frame(frames, t, 1, is_open).front();
    if (best != before && best != frames.blank) {
      words.push_back(best);
    }
    before = best;
  }
  return words;
}

std::vector<std::vector<TokenId>> likeliest_prefixes(const CtcFrames& frames, int64_t beam,
                                                     std::span<const TokenId> closed,
                                                     PrefixLanguage* language) {
  const std::vector<bool> is_open = open_words(frames, closed);
  PrefixTree tree;
  std::vector<Kept> kept = {{0, {.in_blank = 0}}};
  for (int64_t t = 0; t < frames.count; ++t) {
    constexpr int64_t also = 16;  // words of a frame beyond the beam's width
    const auto words = likeliest_of_frame(frames, t, beam + also, is_open);
    kept = best_of(reached_after(frames, t, words, kept, tree), beam, tree, language);
  }
  std::vector<std::vector<TokenId>> all;
  for (const Kept& one : kept) {
    all.push_back(tree.words(one.node));
  }
  return all;
}

std::vector<TokenId> separated_once(std::span<const TokenId> words, TokenId separator) {
  std::vector<TokenId> kept;
  bool is_owed = false;  // a separator, should a word follow
  for (const TokenId word : words) {
    if (word == separator) {
      is_owed = !kept.empty();
      continue;
    }
    if (is_owed) {
      kept.push_back(separator);
      is_owed = false;
    }
    kept.push_back(word);
  }
  return kept;
}

std::vector<std::vector<Hypothesis>> ctc_search(const Model& model, const Batch& batch,
                                                const SearchOptions& options) {
  const NoGrad no_gradients;
  if (options.strategy != "beam") {
    fail(Fault::usage,
         "search: the strategy {} is for decoders that write one word after the other, and {} does "
         "not; leave it out",
         options.strategy, model.decoder().kind());
  }
  if (options.n_best > std::max<int64_t>(options.beam, 1)) {
    fail(Fault::usage, "search: of a beam of {} there cannot be {} best; choose 1 ≤ n-best ≤ beam",
         options.beam, options.n_best);
  }
  Pass pass = Pass::serving();
  const Framewise& decoder = model.framewise();
  const Decoded said =
      decoder.at_frames(model.remember(batch.source, pass), {.weights = options.weights}, pass);
  const Tensor looked =
      options.weights ? chosen_weights(said.reports, options.block, options.head) : Tensor();
  std::vector<std::vector<Hypothesis>> all;
  for (const CtcFrames& frames : ctc_frames(said, looked)) {
    all.push_back(found_in(frames, decoder, options));
  }
  return all;
}

}  // namespace heed
