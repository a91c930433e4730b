#include "heed/search/ctc_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "heed/attention/chosen_weights.h"
#include "heed/base/error.h"
#include "heed/search/searches.h"
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

/// The search of prefixes, frame by frame.
class PrefixSearch {
 public:
  PrefixSearch(const CtcFrames& frames, int64_t beam, std::span<const TokenId> closed)
      : frames_(frames), beam_(beam), is_open_(open_words(frames, closed)) {}

  bool is_done() const { return frame_ >= frames_.count; }
  void step(PrefixLanguage* language) {
    constexpr int64_t also = 16;  // words of a frame beyond the beam's width
    const auto words = likeliest_of_frame(frames_, frame_, beam_ + also, is_open_);
    kept_ = best_of(reached_after(frames_, frame_, words, kept_, tree_), beam_, tree_, language);
    ++frame_;
  }
  std::vector<std::vector<TokenId>> targets() const {
    std::vector<std::vector<TokenId>> all;
    for (const Kept& one : kept_) {
      all.push_back(tree_.words(one.node));
    }
    return all;
  }

 private:
  const CtcFrames& frames_;
  int64_t beam_;
  std::vector<bool> is_open_;
  PrefixTree tree_;
  std::vector<Kept> kept_ = {{0, {.in_blank = 0}}};
  int64_t frame_ = 0;
};

/// The search of one sentence.
class FramesSearch {
 public:
  FramesSearch(const CtcFrames& frames, const Framewise& decoder, const SearchOptions& options)
      : frames_(frames), separator_(decoder.specials().separator()), options_(options) {
    closed_ = suppressed_words(decoder.specials(), options);
    closed_.push_back(decoder.specials().end());
    if (options.language_model != nullptr && options.lm_weight > 0) {
      language_.emplace(*options.language_model, options.lm_weight);
    }
    if (options.beam > 1 || language_) {
      prefixes_.emplace(frames, options.beam, closed_);
    }
  }

  bool is_done() const { return !prefixes_ || prefixes_->is_done(); }
  void step() { prefixes_->step(language_ ? &*language_ : nullptr); }
  std::vector<Hypothesis> found() const {
    const auto all = prefixes_ ? prefixes_->targets()
                               : std::vector<std::vector<TokenId>>{best_path(frames_, closed_)};
    std::vector<Hypothesis> found;
    std::set<std::vector<TokenId>> texts;
    for (const std::vector<TokenId>& path : all) {
      const std::vector<TokenId> words = separated_once(path, separator_);
      if (texts.insert(words).second) {
        found.push_back(hypothesis_of(words));
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    found.resize(std::min(found.size(), static_cast<size_t>(options_.n_best)));
    return found;
  }

 private:
  Hypothesis hypothesis_of(const std::vector<TokenId>& words) const {
    Hypothesis one;
    one.ids = words;
    one.ended = true;
    one.log_probability = ctc_log_probability(frames_, words);
    one.score = one.log_probability + (language_ ? language_->of_target(words) : 0);
    if (options_.weights) {
      one.weights = slot_spikes(frames_, words);
    }
    return one;
  }

  const CtcFrames& frames_;
  TokenId separator_;
  const SearchOptions& options_;
  std::vector<TokenId> closed_;
  std::optional<PrefixLanguage> language_;
  std::optional<PrefixSearch> prefixes_;
};

void check_options(const Framewise& decoder, const SearchOptions& options) {
  if (options.strategy != "beam") {
    fail(Fault::usage,
         "search: the strategy {} is for decoders that write one word after the other, and {} does "
         "not; leave it out",
         options.strategy, decoder.kind());
  }
  if (options.n_best > std::max<int64_t>(options.beam, 1)) {
    fail(Fault::usage, "search: of a beam of {} there cannot be {} best; choose 1 ≤ n-best ≤ beam",
         options.beam, options.n_best);
  }
}

/// Its steps: the source is read, and every frame and the end of each sentence.
class CtcSearch : public BatchSearch {
 public:
  CtcSearch(const Model& model, const Batch& batch, const SearchOptions& options)
      : model_(model), source_(batch.source), options_(options) {
    check_options(model.framewise(), options);
  }

  bool is_done() const override { return is_read_ && found_.size() == frames_.size(); }
  void step() override {
    const NoGrad no_gradients;
    if (!is_read_) {
      read();
      return;
    }
    if (!sentence_) {
      sentence_.emplace(frames_[found_.size()], model_.framewise(), options_);
    }
    if (!sentence_->is_done()) {
      sentence_->step();
      return;
    }
    found_.push_back(sentence_->found());
    sentence_.reset();
  }
  std::vector<std::vector<Hypothesis>> take() override { return std::move(found_); }

 private:
  void read() {
    Pass pass = Pass::serving();
    const Decoded said = model_.framewise().at_frames(model_.remember(source_, pass),
                                                      {.weights = options_.weights}, pass);
    const Tensor looked =
        options_.weights ? chosen_weights(said.reports, options_.block, options_.head) : Tensor();
    frames_ = ctc_frames(said, looked);
    is_read_ = true;
  }

  const Model& model_;
  FieldRows source_;
  SearchOptions options_;
  bool is_read_ = false;
  std::vector<CtcFrames> frames_;
  std::optional<FramesSearch> sentence_;  // that is under way
  std::vector<std::vector<Hypothesis>> found_;
};

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
  PrefixSearch run(frames, beam, closed);
  while (!run.is_done()) {
    run.step(language);
  }
  return run.targets();
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

std::unique_ptr<BatchSearch> ctc_search(const SearchRequest& request) {
  return std::make_unique<CtcSearch>(request.model(), request.batch, request.options);
}

}  // namespace heed
