#include "heed/search/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "heed/ops/concat.h"
#include "heed/ops/reshape.h"
#include "heed/search/label.h"
#include "heed/search/strategies.h"
#include "heed/tensor/tape.h"
#include "heed/text/vocabulary.h"

namespace heed {
namespace {

/// Words at most: what the options allow, but room for what the sentence must say.
int64_t limit_of(const SearchOptions& options, int64_t source_words, const SentenceOptions& own) {
  int64_t limit = static_cast<int64_t>(options.length_factor * static_cast<double>(source_words)) +
                  options.length_margin;
  limit = options.max_length > 0 ? std::min(limit, options.max_length) : limit;
  auto needed = static_cast<int64_t>(own.prefix.size());
  for (const auto& phrase : own.phrases) {
    needed += static_cast<int64_t>(phrase.size());
  }
  return std::max({limit, needed, int64_t{1}});
}

const SearchOptions& checked(const SearchOptions& options) {
  if (options.beam < 1 || options.n_best < 1) {
    fail(Fault::usage, "search: saw beam {} and {} best, needs at least 1 of each", options.beam,
         options.n_best);
  }
  return options;
}

std::unique_ptr<Strategy> prepared_strategy(const SearchOptions& options) {
  auto strategy = strategies().make(options.strategy);
  strategy->prepare(options);
  return strategy;
}

Ensemble::Asked asked_by(const SearchOptions& options) {
  const bool wants_weights = options.weights || options.coverage != 0;
  return {options.mean, wants_weights, options.block, options.head};
}

Tensor index_of(const std::vector<int32_t>& numbers, const Place& place) {
  return Tensor::of(numbers, {static_cast<int64_t>(numbers.size())}, place.with(DType::i32));
}

/// Rows `first` and on for a beam's hypotheses. Where those rows are the beam's already, the first that
/// goes on from a row stays in it, and only the others are moved.
std::vector<int32_t> rows_for(const Beam& beam, int32_t first, bool keeps_rows) {
  const size_t count = beam.live.size();
  std::vector<int32_t> rows(count, -1);
  std::vector<bool> is_taken(count, false);
  for (size_t h = 0; keeps_rows && h < count; ++h) {
    const auto own = static_cast<size_t>(beam.live[h].row - first);
    if (!is_taken[own]) {
      is_taken[own] = true;
      rows[h] = beam.live[h].row;
    }
  }
  size_t next = 0;
  for (int32_t& row : rows) {
    while (row < 0 && is_taken[next]) {
      ++next;
    }
    if (row < 0) {
      is_taken[next] = true;
      row = first + static_cast<int32_t>(next);
    }
  }
  return rows;
}

}  // namespace

Search::Search(std::span<const Autoregressive* const> decoders, const Place& place,
               const SearchOptions& options)
    : options_(checked(options)),
      score_(options),
      strategy_(prepared_strategy(options)),
      place_(place),
      ensemble_(decoders, asked_by(options)),
      frontier_(strategy_->width(), place),
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
  const size_t first = sentences_.size();
  std::vector<int32_t> kept;  // sources of what is under way
  for (const size_t s : under_way_) {
    kept.push_back(std::exchange(sentences_[s].memory, static_cast<int32_t>(kept.size())));
  }
  std::vector<int32_t> memory_of;
  for (size_t b = 0; b < lengths.size(); ++b) {
    SentenceSearch sentence;
    sentence.options =
        sentences.empty() ? SentenceOptions{.number = static_cast<int64_t>(b)} : sentences[b];
    sentence.memory = static_cast<int32_t>(kept.size() + b);
    sentence.limit = limit_of(options_, lengths[b] - 1, sentence.options);
    sentence.beams.resize(static_cast<size_t>(strategy_->beams()));
    for (size_t g = 0; g < sentence.beams.size(); ++g) {
      sentence.beams[g].live.push_back({{}, static_cast<int32_t>(rows_.size())});
      rows_.push_back({first + b, g});
      memory_of.push_back(static_cast<int32_t>(b));
    }
    under_way_.push_back(sentences_.size());
    sentences_.push_back(std::move(sentence));
  }
  ensemble_.admit(memories, memory_of, kept);
  const std::vector<int32_t> start(memory_of.size(), Vocabulary::start);
  const Tensor fed = index_of(start, place_);
  words_ = kept.empty() ? fed : concat({words_, fed}, 0);
  draw_keys_ = Tensor();
  place_hypotheses();
  return static_cast<int64_t>(first);
}

bool Search::is_done(int64_t sentence) const {
  return !sentences_.at(static_cast<size_t>(sentence)).is_live();
}

void Search::cancel(int64_t sentence) {
  const NoGrad no_grad;
  read_all();
  for (Beam& beam : sentences_.at(static_cast<size_t>(sentence)).beams) {
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
  const RowWords words = likeliest_words(prediction.scores, strategy_->words_per_row(), forced);
  const Chosen chosen = strategy_->choose({prediction.scores, words, frontier_, keys, forced});
  pending_.push_back({chosen.packed(), prediction.weights, chosen.words_per_row});
  if (forced.defined() || must_read()) {
    read_all();
    return;
  }
  const Frontier::Continuing next = frontier_.go_on(chosen);
  if (strategy_->width() > 1) {
    ensemble_.reorder(next.parent);
  }
  words_ = next.ids;
}

/// i32 [Q]: the word each row must say, −1: any; undefined where no sentence is inside its prefix.
Tensor Search::forced_words() const {
  std::vector<int32_t> ids(rows_.size(), -1);
  bool is_any = false;
  for (size_t row = 0; row < rows_.size(); ++row) {
    const SentenceSearch& sentence = sentences_[rows_[row].sentence];
    if (sentence.is_inside_prefix()) {
      ids[row] = sentence.options.prefix[static_cast<size_t>(sentence.length)];
      is_any = true;
    }
  }
  return is_any ? index_of(ids, place_) : Tensor();
}

/// Beams that lack hypotheses are rearranged by the host.
bool Search::must_read() const {
  const auto unread = static_cast<int64_t>(pending_.size());
  return !frontier_.is_full() || unread >= place_.backend->steps_between_reads();
}

/// Follows all steps that were not read. After all but the last the device went on by itself.
void Search::read_all() {
  if (pending_.empty()) {
    return;
  }
  const std::vector<Unread> steps = std::exchange(pending_, {});
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i > 0) {
      renumber_rows();
    }
    read(steps[i]);
  }
  settle();
}

/// Where the device put hypotheses when it went on by itself: side by side, in their order.
void Search::renumber_rows() {
  const auto width = static_cast<int32_t>(strategy_->width());
  int32_t first = 0;
  for (const size_t s : under_way_) {
    for (Beam& beam : sentences_[s].beams) {
      for (size_t w = 0; w < beam.live.size(); ++w) {
        beam.live[w].row = first + static_cast<int32_t>(w);
      }
      first += width;
    }
  }
}

void Search::read(const Unread& step) {
  const Values chosen = step.chosen.values<float>();
  const Values weights = step.weights.defined() ? step.weights.values<float>() : Values();
  const int64_t slots = step.weights.defined() ? step.weights.size(1) : 0;
  const auto beams = static_cast<size_t>(step.chosen.size(1));
  const auto count = static_cast<size_t>(step.chosen.size(2));
  size_t f = 0;
  for (const size_t s : under_way_) {
    SentenceSearch& sentence = sentences_[s];
    for (Beam& beam : sentence.beams) {
      std::vector<Candidate> candidates;
      const float* id = chosen.data() + f++ * count;
      for (size_t c = 0; c < count; ++c) {
        const auto number = static_cast<int64_t>(id[beams * count + c]);
        const auto parent = static_cast<size_t>(number / step.words_per_row);
        const double log_p = id[2 * beams * count + c];
        if (parent < beam.live.size() && std::isfinite(log_p) && id[c] != Vocabulary::start) {
          candidates.push_back({parent, static_cast<int32_t>(id[c]),
                                beam.live[parent].so_far.log_probability + log_p});
        }
      }
      note_weights(beam, weights, slots, static_cast<size_t>(sentence.memory));
      grow(sentence, beam, candidates);
    }
    ++sentence.length;
  }
}

void Search::rank_on_host(const Ensemble::Prediction& prediction) {
  const HostWords words(prediction.scores, strategy_->words_per_row());
  const bool has_weights = prediction.weights.defined();
  const Values weights = has_weights ? prediction.weights.values<float>() : Values();
  const int64_t slots = has_weights ? prediction.weights.size(1) : 0;
  for (const size_t s : under_way_) {
    SentenceSearch& sentence = sentences_[s];
    for (Beam& beam : sentence.beams) {
      note_weights(beam, weights, slots, static_cast<size_t>(sentence.memory));
      if (!sentence.is_inside_prefix()) {
        grow(sentence, beam, strategy_->rank(sentence, beam, words));
        continue;
      }
      std::vector<Candidate> forced;
      const int32_t id = sentence.options.prefix[static_cast<size_t>(sentence.length)];
      for (size_t h = 0; h < beam.live.size(); ++h) {
        const LiveHypothesis& live = beam.live[h];
        forced.push_back(
            {h, id, live.so_far.log_probability + words.log_probability(live.row, id)});
      }
      grow(sentence, beam, forced);
    }
    ++sentence.length;
  }
}

/// Every live hypothesis of the beam keeps where it looked in this step.
void Search::note_weights(Beam& beam, const Values& weights, int64_t slots, size_t source) const {
  if (slots == 0) {
    return;
  }
  for (LiveHypothesis& live : beam.live) {
    const auto first = weights.begin() + live.row * slots;
    live.so_far.weights.emplace_back(first, first + ensemble_.source_lengths()[source]);
  }
}

/// The beam's hypotheses become their continuations; each keeps the row it goes on from.
void Search::grow(SentenceSearch& sentence, Beam& beam,
                  const std::vector<Candidate>& candidates) const {
  if (candidates.empty()) {  // the model's scores are no numbers: hypotheses end where they stand
    for (LiveHypothesis& live : std::exchange(beam.live, {})) {
      finish(beam, std::move(live.so_far), false);
    }
    return;
  }
  const auto width = static_cast<size_t>(strategy_->width());
  std::vector<LiveHypothesis> grown;
  for (size_t rank = 0; rank < candidates.size(); ++rank) {
    const bool is_among_best = rank < width;
    if (grown.size() >= width || (!is_among_best && beam.finished.size() >= width)) {
      break;
    }
    const Candidate& candidate = candidates[rank];
    const bool ends = candidate.id == Vocabulary::end;
    if (ends && !is_among_best) {
      continue;
    }
    const LiveHypothesis& from = beam.live[candidate.parent];
    Hypothesis next = from.so_far;
    next.log_probability = candidate.log_probability;
    if (ends) {
      finish(beam, std::move(next), true);
    } else {
      next.ids.push_back(candidate.id);
      grown.push_back({std::move(next), from.row});
    }
  }
  beam.live.clear();
  const bool is_cut = sentence.length + 1 >= sentence.limit;
  if (beam.finished.size() >= width) {
    return;
  }
  for (LiveHypothesis& live : grown) {
    if (is_cut) {
      finish(beam, std::move(live.so_far), false);
    } else {
      beam.live.push_back(std::move(live));
    }
  }
}

void Search::finish(Beam& beam, Hypothesis hypothesis, bool ended) const {
  hypothesis.ended = ended;
  hypothesis.score = score_(hypothesis);
  beam.finished.push_back(std::move(hypothesis));
}

/// Rows of hypotheses that are done go; the others are told which row they go on from.
void Search::settle() {
  std::erase_if(under_way_, [this](size_t s) { return !sentences_[s].is_live(); });
  std::vector<Row> rows;
  for (const size_t s : under_way_) {
    for (size_t g = 0; g < sentences_[s].beams.size(); ++g) {
      rows.insert(rows.end(), sentences_[s].beams[g].live.size(), {s, g});
    }
  }
  const bool stays = rows == rows_;
  rows_ = std::move(rows);
  if (rows_.empty()) {
    return;
  }
  const bool keeps_rows = stays && place_.backend->steps_between_reads() == 1;
  std::vector<int32_t> parent(rows_.size());
  std::vector<int32_t> words(rows_.size());
  int32_t first = 0;
  for (const size_t s : under_way_) {
    for (Beam& beam : sentences_[s].beams) {
      const std::vector<int32_t> to = rows_for(beam, first, keeps_rows);
      for (size_t h = 0; h < to.size(); ++h) {
        LiveHypothesis& live = beam.live[h];
        const auto row = static_cast<size_t>(to[h]);
        parent[row] = std::exchange(live.row, to[h]);
        words[row] = live.so_far.ids.empty() ? Vocabulary::start : live.so_far.ids.back();
      }
      first += static_cast<int32_t>(to.size());
    }
  }
  move_rows(parent, stays);
  words_ = index_of(words, place_);
  place_hypotheses();
}

void Search::move_rows(const std::vector<int32_t>& parent, bool stays) {
  if (!stays) {
    ensemble_.select(parent);
    draw_keys_ = Tensor();
    return;
  }
  for (size_t row = 0; row < parent.size(); ++row) {
    if (parent[row] != static_cast<int32_t>(row)) {
      ensemble_.reorder(index_of(parent, place_));
      return;
    }
  }
}

Tensor Search::keys_of_rows() const {
  std::vector<int32_t> keys;
  for (const Row& row : rows_) {
    const SentenceOptions& own = sentences_[row.sentence].options;
    const RandomKey key{own.seed.value_or(options_.seed), static_cast<uint64_t>(own.number),
                        row.beam};
    const uint64_t bits = Draws(key).bits64(0);
    keys.push_back(static_cast<int32_t>(bits));
    keys.push_back(static_cast<int32_t>(bits >> 32));
  }
  return Tensor::of(keys, {static_cast<int64_t>(rows_.size()), 2}, place_.with(DType::i32));
}

/// Tells the frontier where hypotheses are and how they stand beside each other.
void Search::place_hypotheses() {
  const auto width = static_cast<size_t>(strategy_->width());
  std::vector<int32_t> cells;
  std::vector<float> scores;
  for (const size_t s : under_way_) {
    for (const Beam& beam : sentences_[s].beams) {
      for (size_t w = 0; w < width; ++w) {
        const bool is_live = w < beam.live.size();
        cells.push_back(is_live ? beam.live[w].row : -1);
        scores.push_back(is_live ? static_cast<float>(beam.live[w].so_far.log_probability -
                                                      beam.live[0].so_far.log_probability)
                                 : -std::numeric_limits<float>::infinity());
      }
    }
  }
  if (!draw_keys_.defined()) {
    draw_keys_ = keys_of_rows();
  }
  if (cells_ != cells) {
    frontier_.arrange(cells, scores);
  } else if (scores_ != scores) {
    frontier_.rescore(scores);
  }
  cells_ = std::move(cells);
  scores_ = std::move(scores);
}

std::vector<Hypothesis> Search::take(int64_t sentence) {
  SentenceSearch& from = sentences_.at(static_cast<size_t>(sentence));
  require(!from.is_live() && !from.is_taken,
          "search: saw sentence {} taken before it is done, or twice; ask is_done first", sentence);
  std::vector<Hypothesis> all;
  for (Beam& beam : from.beams) {
    std::move(beam.finished.begin(), beam.finished.end(), std::back_inserter(all));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  all.resize(std::min(all.size(), static_cast<size_t>(options_.n_best)));
  for (Hypothesis& hypothesis : all) {
    if (!options_.weights) {
      hypothesis.weights.clear();  // only the score wanted them
    }
  }
  from = {};
  from.is_taken = true;
  return all;
}

std::vector<std::vector<Hypothesis>> search(std::span<const Member> members,
                                            std::span<const SentenceOptions> sentences,
                                            const Place& place, const SearchOptions& options) {
  std::vector<const Autoregressive*> decoders;
  std::vector<std::shared_ptr<const Remembered>> memories;
  for (const Member& member : members) {
    decoders.push_back(member.decoder);
    memories.push_back(member.memory);
  }
  Search run(decoders, place, options);
  const int64_t first = run.admit(memories, sentences);
  while (!run.is_done()) {
    run.step();
  }
  std::vector<std::vector<Hypothesis>> out;
  for (size_t s = 0; s < memories.front()->lengths.size(); ++s) {
    out.push_back(run.take(first + static_cast<int64_t>(s)));
  }
  return out;
}

std::vector<std::vector<Hypothesis>> search(std::span<const Model* const> models,
                                            const Batch& batch,
                                            std::span<const SentenceOptions> sentences,
                                            const SearchOptions& options) {
  require(!models.empty(), "search: saw no model, needs one");
  if (dynamic_cast<const Labelling*>(&models.front()->decoder()) != nullptr) {
    require(models.size() == 1, "search: saw {} models that label, needs one", models.size());
    return label(*models.front(), batch);
  }
  const NoGrad no_grad;
  Pass pass = Pass::serving();
  std::vector<Member> members;
  for (const Model* model : models) {
    members.push_back({&model->autoregressive(),
                       std::make_shared<const Remembered>(model->remember(batch.source, pass))});
  }
  return search(members, sentences, models.front()->place(), options);
}

std::vector<std::vector<Hypothesis>> search(const Model& model, const Batch& batch,
                                            const SearchOptions& options) {
  const Model* one[] = {&model};
  return search(one, batch, {}, options);
}

}  // namespace heed
