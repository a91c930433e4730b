#include "heed/search/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heed/ops/concat.h"
#include "heed/ops/reshape.h"
#include "heed/search/strategies.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// Words at most: what the options allow, but room for what the sentence must say. `source_slots`
/// counts the end token; where there is no source, the words of the prefix stand for the source's.
int64_t limit_of(const SearchOptions& options, int64_t source_slots, const SentenceOptions& own) {
  const int64_t source_words =
      source_slots > 0 ? source_slots - 1 : static_cast<int64_t>(own.prefix.size());
  int64_t limit = static_cast<int64_t>(options.length_factor * static_cast<double>(source_words)) +
                  options.length_margin;
  limit = options.max_length > 0 ? std::min(limit, options.max_length) : limit;
  auto needed = static_cast<int64_t>(own.prefix.size());
  for (const auto& phrase : own.phrases) {
    needed += static_cast<int64_t>(phrase.size());
  }
  return std::max({limit, needed, options.rules.least_words(), int64_t{1}});
}

const SearchOptions& checked(const SearchOptions& options) {
  if (options.beam < 1 || options.n_best < 1) {
    fail(Fault::usage,
         "search: a beam of {} with {} best is not possible; choose at least 1 of each",
         options.beam, options.n_best);
  }
  return options;
}

std::unique_ptr<Strategy> prepared_strategy(const SearchOptions& options,
                                            const SpecialTokens& specials) {
  auto strategy = strategies().make(options.strategy);
  strategy->set_specials(specials, suppressed_words(specials, options));
  strategy->prepare(options);
  return strategy;
}

SpecialTokens specials_of(std::span<const Scorer> scorers) {
  require(!scorers.empty(), "search: saw no model, needs one");
  return scorers.front().decoder->specials();
}

/// The words after which no hypothesis goes on.
std::vector<TokenId> last_words(const SpecialTokens& specials, const SearchOptions& options) {
  std::vector<TokenId> words = suppressed_words(specials, options);
  words.push_back(specials.end());
  return words;
}

Ensemble::Options ensemble_options(const SearchOptions& options) {
  const bool wants_weights = options.weights || options.coverage != 0;
  return {options.mean, wants_weights, options.block, options.head};
}

}  // namespace

Search::Search(std::span<const Scorer> scorers, const Place& place, const SearchOptions& options)
    : options_(checked(options)),
      specials_(specials_of(scorers)),
      suppressed_(suppressed_words(specials_, options)),
      score_(options),
      strategy_(prepared_strategy(options, specials_)),
      place_(place),
      ensemble_(scorers, ensemble_options(options)),
      frontier_(strategy_->width(), last_words(specials_, options), place),
      pass_(Pass::serving()) {}

Search::~Search() = default;

int64_t Search::admit(const Ensemble::Memories& memories,
                      std::span<const SentenceOptions> sentences) {
  const NoGrad no_grad;
  require(!memories.empty(), "search: saw no model, needs one");
  read_all();
  const std::vector<int32_t>& lengths = memories.front()->lengths;
  require(sentences.empty() || sentences.size() == lengths.size(),
          "search: saw options of {} sentences for {} sources, needs one for each",
          sentences.size(), lengths.size());
  const size_t beams = static_cast<size_t>(strategy_->beams());
  std::vector<int32_t> memory_of;
  for (size_t b = 0; b < lengths.size(); ++b) {
    memory_of.insert(memory_of.end(), beams, static_cast<int32_t>(b));
  }
  const Tensor fed = on_device(std::vector<int32_t>(memory_of.size(), specials_.start()));
  const bool is_first = under_way_.empty();
  const Tensor words = is_first ? fed : concat({words_, fed}, 0);
  const std::vector<int32_t> places = join_sources(memories, memory_of);
  words_ = words;
  const int64_t first = next_;
  for (size_t b = 0; b < lengths.size(); ++b) {
    SentenceSearch sentence;
    sentence.options =
        sentences.empty() ? SentenceOptions{.number = static_cast<int64_t>(b)} : sentences[b];
    sentence.memory = places[b];
    sentence.limit = limit_of(options_, lengths[b], sentence.options);
    sentence.beams.resize(beams);
    for (size_t g = 0; g < beams; ++g) {
      sentence.beams[g].live.push_back({.row = static_cast<int32_t>(rows_.size())});
      rows_.push_back({next_, g});
    }
    under_way_.push_back(next_);
    sentences_.emplace(next_++, std::move(sentence));
  }
  draw_keys_ = Tensor();
  place_hypotheses();
  return first;
}

/// Hands the sources to the decoders, with a hypothesis for each entry of `memory_of`. Returns their places.
std::vector<int32_t> Search::join_sources(const Ensemble::Memories& memories,
                                          std::span<const int32_t> memory_of) {
  const auto count = static_cast<int64_t>(memories.front()->lengths.size());
  std::vector<int32_t> at(static_cast<size_t>(count));
  if (under_way_.empty()) {
    ensemble_.begin(memories, memory_of);
    places_.fill(count);
    has_room_ = false;
    std::iota(at.begin(), at.end(), 0);
    return at;
  }
  if (!has_room_ || places_.must_rearrange(count)) {
    std::vector<int32_t> kept;
    for (const int64_t s : under_way_) {
      kept.push_back(sentences_.at(s).memory);
    }
    SourcePlaces places;
    ensemble_.arrange_sources(kept, places.rearrange(static_cast<int64_t>(kept.size()), count));
    places_ = std::move(places);
    has_room_ = true;
    for (size_t i = 0; i < kept.size(); ++i) {
      sentences_.at(under_way_[i]).memory = static_cast<int32_t>(i);
    }
  }
  SourcePlaces places = places_;
  std::generate(at.begin(), at.end(), [&places] { return places.take(); });
  ensemble_.join(memories, memory_of, at);
  places_ = std::move(places);
  return at;
}

const SentenceSearch& Search::found(int64_t sentence) const {
  const auto at = sentences_.find(sentence);
  require(at != sentences_.end(), "search: saw sentence {}, which was taken or never admitted",
          sentence);
  return at->second;
}

bool Search::is_done(int64_t sentence) const { return !found(sentence).is_live(); }

void Search::cancel(int64_t sentence) {
  const NoGrad no_grad;
  read_all();
  found(sentence);
  for (Beam& beam : sentences_.at(sentence).beams) {
    beam.live.clear();
  }
  settle();
}

void Search::step() {
  const NoGrad no_grad;
  const Tensor position = ensemble_.position().number;
  const Tensor keys = concat({draw_keys_, reshape(position, {position.size(0), 1})}, 1);
  pass_.begin_step(keys);
  const Ensemble::Prediction prediction = ensemble_.step(words_, pass_);
  if (strategy_->is_on_host()) {
    rank_on_host(prediction);
    settle();
    return;
  }
  const Tensor forced = forced_words();
  const Tensor closed = closed_words_on_device();
  const int64_t most_closed = closed.defined() ? closed.size(1) : 0;
  const RowWords words =
      choose_words(prediction.scores, {.most = strategy_->words_per_row() + most_closed,
                                       .forced = forced,
                                       .closed = closed,
                                       .is_as_it_is = prediction.is_sum});
  const Chosen chosen =
      strategy_->choose({prediction.scores, words, frontier_, keys, forced, closed});
  pending_.push_back(
      {chosen.packed(), prediction.weights, prediction.of_model, chosen.words_per_row});
  if (forced.defined() || must_read()) {
    read_all();
    return;
  }
  const Frontier::Continuing next = frontier_.go_on(chosen);
  if (strategy_->width() > 1) {
    ensemble_.reorder(next.parent);
  }
  pending_.back().went_on = true;
  words_ = next.ids;
}

/// i32 [Q]: the word that each row must take, −1: any. Undefined where no sentence is inside its
/// prefix.
Tensor Search::forced_words() const {
  std::vector<int32_t> ids(rows_.size(), -1);
  bool is_any = false;
  for (size_t row = 0; row < rows_.size(); ++row) {
    const SentenceSearch& sentence = sentences_.at(rows_[row].sentence);
    if (sentence.is_inside_prefix()) {
      ids[row] = sentence.options.prefix[static_cast<size_t>(sentence.length)];
      is_any = true;
    }
  }
  return is_any ? on_device(ids) : Tensor();
}

/// The words that the rules close to every row; empty where no rule is on. A row inside its prefix
/// has none.
std::vector<std::vector<TokenId>> Search::closed_words() const {
  if (options_.rules.first_on() == nullptr) {
    return {};
  }
  std::vector<std::vector<TokenId>> closed(rows_.size());
  for (const int64_t s : under_way_) {
    const SentenceSearch& sentence = sentences_.at(s);
    for (const Beam& beam : sentence.beams) {
      for (const LiveHypothesis& live : beam.live) {
        if (!sentence.is_inside_prefix()) {
          closed[static_cast<size_t>(live.row)] =
              options_.rules.closed(beam.tree.words(live.node), specials_);
        }
      }
    }
  }
  return closed;
}

/// i32 [Q, C], −1: none; undefined where nothing is closed.
Tensor Search::closed_words_on_device() const {
  const std::vector<std::vector<TokenId>> closed = closed_words();
  size_t most = 0;
  for (const auto& row : closed) {
    most = std::max(most, row.size());
  }
  if (most == 0) {
    return {};
  }
  std::vector<int32_t> ids(closed.size() * most, -1);
  for (size_t row = 0; row < closed.size(); ++row) {
    std::copy(closed[row].begin(), closed[row].end(),
              ids.begin() + static_cast<std::ptrdiff_t>(row * most));
  }
  return Tensor::of(ids, {static_cast<int64_t>(closed.size()), static_cast<int64_t>(most)},
                    place_.with(DType::i32));
}

/// Rules look at the words of every hypothesis, which only the host knows. The host must also read where a beam lacks hypotheses, because only the host can rearrange it.
bool Search::must_read() const {
  const auto unread = static_cast<int64_t>(pending_.size());
  return options_.rules.first_on() != nullptr || !frontier_.is_full() ||
         unread >= place_.backend->steps_between_reads();
}

/// Reads and follows all steps that were not read yet.
void Search::read_all() {
  if (pending_.empty()) {
    return;
  }
  for (const Unread& step : std::exchange(pending_, {})) {
    read(step);
    if (step.went_on) {
      renumber_rows();
    }
  }
  settle();
}

/// Replaces the beam's hypotheses by their continuations; each remembers the row that it continues.
void Search::grow(SentenceSearch& sentence, Beam& beam, const std::vector<Candidate>& candidates,
                  const RowWeights& weights) const {
  const auto source = static_cast<size_t>(sentence.memory);
  if (candidates.empty()) {  // the model's scores are NaN or rules close all words: they end here
    for (size_t h = 0; h < beam.live.size(); ++h) {
      const int32_t row = note_weights(beam, h, source, weights);
      const LiveHypothesis& live = beam.live[h];
      finish(beam, {live.node, row, false, live.log_probability, live.of_model}, sentence.length);
    }
    beam.live.clear();
    return;
  }
  const auto width = static_cast<size_t>(strategy_->width());
  std::vector<LiveHypothesis> grown;
  std::vector<int32_t> noted(beam.live.size(), HypothesisTree::none);
  for (size_t rank = 0; rank < candidates.size(); ++rank) {
    const bool is_among_best = rank < width;
    if (grown.size() >= width || (!is_among_best && beam.finished.size() >= width)) {
      break;
    }
    const Candidate& candidate = candidates[rank];
    const bool ends = candidate.id == specials_.end();
    if (ends && !is_among_best) {
      continue;
    }
    const LiveHypothesis& from = beam.live[candidate.parent];
    int32_t& row = noted[candidate.parent];
    row = row == HypothesisTree::none ? note_weights(beam, candidate.parent, source, weights) : row;
    const double log_p = candidate.log_probability;
    if (ends) {
      finish(beam, {from.node, row, true, log_p, candidate.of_model}, sentence.length);
    } else {
      grown.push_back({beam.tree.add({from.node, candidate.id, row, log_p}), from.row, log_p,
                       candidate.of_model});
    }
  }
  beam.live.clear();
  const bool is_cut = sentence.length + 1 >= sentence.limit;
  if (beam.finished.size() >= width) {
    return;
  }
  for (const LiveHypothesis& live : grown) {
    if (is_cut) {
      finish(beam, {live.node, HypothesisTree::none, false, live.log_probability, live.of_model},
             sentence.length + 1);
    } else {
      beam.live.push_back(live);
    }
  }
}

/// `words` are those of the hypothesis.
void Search::finish(Beam& beam, FinishedHypothesis hypothesis, int64_t words) const {
  std::vector<std::span<const float>> weights;
  if (score_.wants_weights()) {
    weights = beam.tree.weights(hypothesis.node, hypothesis.weights);
  }
  hypothesis.score =
      score_(hypothesis.log_probability, words + (hypothesis.ended ? 1 : 0), weights);
  beam.finished.push_back(hypothesis);
}

std::vector<Hypothesis> Search::take(int64_t sentence) {
  const SentenceSearch& from = found(sentence);
  require(!from.is_live(), "search: saw sentence {} taken before it is done; ask is_done first",
          sentence);
  std::vector<std::pair<const HypothesisTree*, FinishedHypothesis>> all;
  for (const Beam& beam : from.beams) {
    for (const FinishedHypothesis& one : beam.finished) {
      all.emplace_back(&beam.tree, one);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second.score > b.second.score; });
  all.resize(std::min(all.size(), static_cast<size_t>(options_.n_best)));
  std::vector<Hypothesis> best;
  for (const auto& [tree, one] : all) {
    Hypothesis& out = best.emplace_back();
    out.ids = tree->words(one.node);
    out.log_probability = one.log_probability;
    if (ensemble_.adds_scorers()) {
      out.weighted_sum = one.log_probability;
      out.log_probability = one.of_model;
    }
    out.score = one.score;
    out.ended = one.ended;
    for (const std::span<const float> row : options_.weights
                                                ? tree->weights(one.node, one.weights)
                                                : std::vector<std::span<const float>>()) {
      out.weights.emplace_back(row.begin(), row.end());
    }
  }
  sentences_.erase(sentence);
  return best;
}

}  // namespace heed
