#include "heed/search/search.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/device/out_of_memory.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/choose_words.h"
#include "heed/ops/concat.h"
#include "heed/ops/reshape.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

constexpr int64_t least_slots = 16;  // of a cache

/// Words at most, those of the start included: what the settings allow behind it and the decoder
/// has positions for, but room for what the sentence must say. `source_slots`
/// counts the end token; where there is no source, the words of the prefix stand for the source's.
int64_t limit_of(const SentenceOptions& own, int64_t source_slots, int64_t longest) {
  const SentenceSettings& settings = *own.settings;
  const int64_t source_words =
      source_slots > 0 ? source_slots - 1 : static_cast<int64_t>(own.prefix.size());
  int64_t limit =
      static_cast<int64_t>(settings.max_length_factor * static_cast<double>(source_words)) +
      settings.max_length_margin;
  limit = settings.max_length > 0 ? std::min(limit, settings.max_length) : limit;
  const auto before = static_cast<int64_t>(own.start.size());
  limit = std::min(limit, longest - before) + before;
  auto needed = static_cast<int64_t>(own.prefix.size());
  for (const auto& phrase : own.phrases) {
    needed += static_cast<int64_t>(phrase.size());
  }
  return std::max({limit, before + needed, before + settings.rules.least_words(), before + 1});
}

void check_counts(const SentenceSettings& settings) {
  if (settings.beam < 1 || settings.n_best < 1) {
    fail(Fault::usage,
         "search: a beam of {} with {} best is not possible; choose at least 1 of each",
         settings.beam, settings.n_best);
  }
}

/// Rows of a cohort whose first row is `first`.
Tensor shifted(const Tensor& rows, int64_t first, const Place& place) {
  return cast(affine(cast(rows, place.dtype), 1, static_cast<double>(first)), DType::i32);
}

}  // namespace

Search::Search(std::span<const Scorer> scorers, const Place& place, const SearchOptions& options)
    : options_(options),
      place_(place),
      ensemble_(scorers, options.ensemble),
      reserve_(place.backend->allocator()),
      pass_(Pass::serving()) {
  cohort_for(options_);
}

/// The cohort that sentences with these settings belong to; a new one if there is none.
Cohort& Search::cohort_for(const SentenceSettings& settings) {
  check_counts(settings);
  for (Cohort& cohort : cohorts_) {
    if (cohort.takes(settings)) {
      return cohort;
    }
  }
  return cohorts_.emplace_back(options_.strategy, settings, specials(), place_);
}

std::vector<int64_t> Search::under_way() const {
  std::vector<int64_t> all;
  for (const Cohort& cohort : cohorts_) {
    all.insert(all.end(), cohort.sentences.begin(), cohort.sentences.end());
  }
  return all;
}

/// The weights that sentences under way and their watchers want, each once.
Looks Search::looks() const {
  Looks all;
  const auto add = [](std::vector<HeadChoice>& list, const HeadChoice& one) {
    if (std::find(list.begin(), list.end(), one) == list.end()) {
      list.push_back(one);
    }
  };
  const std::vector<int64_t> sentences = under_way();
  for (const int64_t s : sentences) {
    const SentenceSettings& settings = sentences_.at(s).settings();
    if (settings.needs_weights()) {
      add(all.needed, settings.looks());
    }
  }
  for (const int64_t s : sentences) {
    const WatchWish& wish = sentences_.at(s).wish;
    for (const HeadChoice& one : wish.source) {
      if (std::find(all.needed.begin(), all.needed.end(), one) == all.needed.end()) {
        add(all.watched, one);
      }
    }
    for (const HeadChoice& one : wish.self) {
      add(all.self, one);
    }
  }
  return all;
}

SentenceSearch Search::begun(SentenceOptions own, int64_t source_slots) {
  if (!own.settings) {
    own.settings = options_;
  }
  check_words(own, specials(), ensemble_.main().vocabulary());
  check_changes(own);
  Cohort& cohort = cohort_for(*own.settings);
  SentenceSearch sentence{HypothesisScore(*own.settings)};
  sentence.cohort = &cohort;
  sentence.limit = limit_of(own, source_slots, ensemble_.main().longest_target());
  sentence.beams.resize(static_cast<size_t>(cohort.strategy().beams()));
  sentence.options = std::move(own);
  return sentence;
}

int64_t Search::admit(const Ensemble::Memories& memories,
                      std::span<const SentenceOptions> sentences) {
  const NoGrad no_grad;
  require(!memories.empty(), "search: saw no model, needs one");
  read_all();
  const std::vector<int32_t>& lengths = memories.front()->lengths;
  require(sentences.empty() || sentences.size() == lengths.size(),
          "search: saw options of {} sentences for {} sources, needs one for each",
          sentences.size(), lengths.size());
  std::vector<SentenceSearch> more;
  std::vector<int32_t> memory_of;
  bool has_weights = false;
  for (size_t b = 0; b < lengths.size(); ++b) {
    const auto number = static_cast<int64_t>(b);
    more.push_back(
        begun(sentences.empty() ? SentenceOptions{.number = number} : sentences[b], lengths[b]));
    memory_of.insert(memory_of.end(), more.back().beams.size(), static_cast<int32_t>(b));
    has_weights = has_weights || more.back().settings().needs_weights();
  }
  ensemble_.check(memories, has_weights, !rows_.empty());
  if (!rows_.empty()) {
    reserve_.set(still_needed(more));
  }
  const Tensor fed = on_device(std::vector<int32_t>(memory_of.size(), specials().start()));
  const Tensor words = rows_.empty() ? fed : concat({words_, fed}, 0);
  const std::vector<int32_t> places = join_sources(memories, memory_of);
  words_ = words;
  const int64_t first = next_;
  for (size_t b = 0; b < more.size(); ++b) {
    more[b].memory = places[b];
    for (size_t g = 0; g < more[b].beams.size(); ++g) {
      more[b].beams[g].live.push_back({.row = static_cast<int32_t>(rows_.size())});
      rows_.push_back({next_, g});
    }
    more[b].cohort->sentences.push_back(next_);
    sentences_.emplace(next_++, std::move(more[b]));
  }
  draw_keys_ = Tensor();
  place_hypotheses();
  return first;
}

/// The bytes that sentences under way and these will need at most beyond what they hold. Caches double
/// when they are full, and may have half as many rows again to spare.
int64_t Search::still_needed(std::span<const SentenceSearch> more) const {
  int64_t rows = 0;
  int64_t slots = least_slots;
  const auto count = [&rows, &slots](const SentenceSearch& one) {
    rows += static_cast<int64_t>(one.beams.size() * one.cohort->width());
    slots = std::max(slots, one.limit);
  };
  for (const int64_t s : under_way()) {
    count(sentences_.at(s));
  }
  std::for_each(more.begin(), more.end(), count);
  const State::CacheBytes caches = ensemble_.cache_bytes();
  return 3 * rows * slots * caches.of_slot - caches.held;
}

/// Hands the sources to the decoders, with a hypothesis for each entry of `memory_of`. Returns their places.
std::vector<int32_t> Search::join_sources(const Ensemble::Memories& memories,
                                          std::span<const int32_t> memory_of) {
  const auto count = static_cast<int64_t>(memories.front()->lengths.size());
  std::vector<int32_t> at(static_cast<size_t>(count));
  if (rows_.empty()) {
    ensemble_.begin(memories, memory_of);
    places_.fill(count);
    std::iota(at.begin(), at.end(), 0);
    return at;
  }
  if (places_.must_rearrange(count)) {
    const std::vector<int64_t> kept = under_way();
    std::vector<int32_t> memory;
    for (const int64_t s : kept) {
      memory.push_back(sentences_.at(s).memory);
    }
    SourcePlaces places;
    ensemble_.arrange_sources(memory, places.rearrange(static_cast<int64_t>(kept.size()), count));
    places_ = std::move(places);
    for (size_t i = 0; i < kept.size(); ++i) {
      sentences_.at(kept[i]).memory = static_cast<int32_t>(i);
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
  require(at != sentences_.end() && !at->second.is_taken,
          "search: saw sentence {}, which was taken or never admitted", sentence);
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
  const bool is_reserved = reserve_.bytes() > 0;
  reserve_.set(0);  // it is this step that needs it
  take_step();
  if (is_reserved && !rows_.empty()) {
    try {
      reserve_.set(still_needed({}));
    } catch (const OutOfMemory&) {  // somebody else has it meanwhile; no sentence can join
    }
  }
}

void Search::take_step() {
  const NoGrad no_grad;
  const Tensor position = ensemble_.position().number;
  const Tensor keys = concat({draw_keys_, reshape(position, {position.size(0), 1})}, 1);
  pass_.begin_step(keys);
  const Looks asked = looks();
  Scored scored{ensemble_.step(words_, asked, changes(), pass_), keys, forced_words(),
                closed_words(), wanted_words()};
  choose_starts(scored);
  std::vector<Chosen> chosen;
  Unread step{{},
              asked.needed,
              needed_weights(scored.prediction, asked),
              watched_rows(scored.prediction, asked),
              scored.prediction.of_model};
  for (const Cohort& cohort : cohorts_) {
    chosen.push_back(cohort.sentences.empty() ? Chosen() : choose(cohort, scored));
    const bool is_any = chosen.back().ids.defined();
    step.chosen.push_back(
        {is_any ? Arriving(chosen.back().packed()) : Arriving(), chosen.back().words_per_row});
  }
  pending_.push_back(std::move(step));
  if (!scored.forced.empty() || must_read()) {
    read_all();
    return;
  }
  go_on(chosen);
  pending_.back().went_on = true;
  while (static_cast<int64_t>(pending_.size()) > place_.backend->steps_ahead()) {
    read_first();
  }
  if (has_idle_rows()) {
    read_all();
  }
}

Chosen Search::choose(const Cohort& cohort, const Scored& scored) const {
  const Tensor scores = cohort.own(scored.prediction.scores);
  const Tensor forced = scored.forced.empty() ? Tensor() : on_device(cohort.own(scored.forced));
  const Tensor closed = padded(scored.closed.empty() ? scored.closed : cohort.own(scored.closed));
  const Tensor wanted = padded(scored.wanted.empty() ? scored.wanted : cohort.own(scored.wanted));
  const int64_t most_closed = closed.defined() ? closed.size(1) : 0;
  const RowWords words =
      choose_words(scores, {.most = cohort.strategy().words_per_row() + most_closed,
                            .forced = forced,
                            .closed = closed,
                            .is_as_it_is = scored.prediction.is_sum});
  return cohort.strategy().choose(
      {scores, words, cohort.frontier(), cohort.own(scored.keys), forced, closed, wanted});
}

/// Feeds the next step what was chosen in this one, which the host has not read.
void Search::go_on(const std::vector<Chosen>& chosen) {
  std::vector<Tensor> words;
  std::vector<Tensor> parents;
  bool is_wide = false;
  int64_t first = 0;  // row of a cohort
  size_t c = 0;
  for (Cohort& cohort : cohorts_) {
    const Chosen& own = chosen[c++];
    if (!own.ids.defined()) {
      continue;
    }
    const Frontier::Continuing next = cohort.frontier().go_on(own);
    words.push_back(next.ids);
    parents.push_back(first == 0 ? next.parent : shifted(next.parent, first, place_));
    first += next.ids.size(0);
    is_wide = is_wide || cohort.width() > 1;
  }
  if (is_wide) {
    ensemble_.reorder(parents.size() == 1 ? parents.front() : concat(parents, 0));
  }
  words_ = words.size() == 1 ? words.front() : concat(words, 0);
}

/// Rules and some strategies look at the words of every hypothesis, which only the host knows. It must also
/// read where a sentence has all its words, and where a beam lacks hypotheses or the rows are not in the
/// order of the beams: only the host can rearrange them.
bool Search::must_read() const {
  if (place_.backend->steps_ahead() == 0) {
    return true;
  }
  int32_t row = 0;
  for (const Cohort& cohort : cohorts_) {
    if (cohort.sentences.empty()) {
      continue;
    }
    if (cohort.strategy().follows_words() || !cohort.frontier().is_full() ||
        !std::all_of(cohort.rows().begin(), cohort.rows().end(),
                     [&row](int32_t own) { return own == row++; })) {
      return true;
    }
  }
  const std::vector<int64_t> all = under_way();
  const auto unread = static_cast<int64_t>(pending_.size());
  return std::any_of(all.begin(), all.end(), [this, unread](int64_t s) {
    const SentenceSearch& sentence = sentences_.at(s);
    return sentence.is_live() && (sentence.length + unread >= sentence.limit ||
                                  sentence.settings().rules.first_on() != nullptr);
  });
}

/// Whether a quarter of the rows are those of beams that are done.
bool Search::has_idle_rows() const {
  const auto idle = std::count_if(rows_.begin(), rows_.end(), [this](const Row& row) {
    return sentences_.at(row.sentence).beams[row.beam].live.empty();
  });
  return 4 * static_cast<size_t>(idle) >= rows_.size();
}

/// Reads and follows all steps that were not read yet, and drops the rows of what has ended.
void Search::read_all() {
  if (pending_.empty()) {
    return;
  }
  while (!pending_.empty()) {
    read_first();
  }
  settle();
}

void Search::read_first() {
  Unread step = std::move(pending_.front());
  pending_.pop_front();
  read(step);
  if (step.went_on) {
    renumber_rows();
  }
}

}  // namespace heed
