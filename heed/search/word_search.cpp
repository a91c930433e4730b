// The search of decoders that write one word after the other, for a whole batch: its sentences are
// admitted to a Search at once and stepped to their ends. Several models with the same vocabularies
// predict as one, by the mean of their predictions; so do the decoders of a model that the options
// combine. Framewise decoders beside the main one and a language model add their scores (ensemble.h).
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "heed/attention/chosen_weights.h"
#include "heed/model/ctc/paths.h"
#include "heed/search/scorers.h"
#include "heed/search/search.h"
#include "heed/search/searches.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// What a language model remembers: as many sources as there are, each empty.
Scorer language_scorer(const Model& model, int64_t sentences, double weight, Pass& pass) {
  if (model.reads_source()) {
    fail(Fault::usage,
         "search: the language model reads a source; train one with data.source = \"none\" and "
         "model.encoder = \"none\"");
  }
  const std::vector<int32_t> nothing(static_cast<size_t>(sentences), 0);
  const FieldRows none{{}, Layout::packed(nothing, model.place())};
  const Autoregressive& decoder = model.autoregressive();
  return {&decoder, weight, ScorerRole::added,
          std::make_shared<const Remembered>(model.remember(none, pass))};
}

/// Gives every hypothesis of a source the weights of the ctc decoder: where it hears each word.
void put_spikes(const CtcFrames& frames, std::vector<Hypothesis>& found) {
  for (Hypothesis& one : found) {
    one.weights = slot_spikes(frames, one.ids);
    one.weights.resize(one.ids.size() + (one.ended ? 1 : 0));
  }
}

/// The ctc decoder beside the model's main one.
const Framewise& listener_of(const Model& model) {
  const std::vector<Scorer> scorers = prefix_scorers(model, 1);
  if (scorers.empty()) {
    fail(Fault::usage,
         "search: `weights_of` ctc is asked for, but there is no ctc decoder beside {}; leave it "
         "out",
         model.decoder().kind());
  }
  return *as<Framewise>(*scorers.front().decoder);
}

/// What a ctc decoder says of sources that were encoded together, once it is asked.
class Heard {
 public:
  Heard(const Model& model, Encoded encoded)
      : decoder_(listener_of(model)), encoded_(std::move(encoded)) {}

  const CtcFrames& frames(size_t source) {
    if (frames_.empty()) {
      Pass pass = Pass::serving();
      const Decoded said =
          decoder_.at_frames(decoder_.remember(encoded_, pass), {.weights = true}, pass);
      frames_ = ctc_frames(said, chosen_weights(said.reports, -1, -1));
    }
    return frames_[source];
  }

 private:
  const Framewise& decoder_;
  Encoded encoded_;
  std::vector<CtcFrames> frames_;
};

/// The decoders of a model that take part, and what they remember of the batch.
void add_scorers(const Model& model, const Encoded& encoded, const SearchOptions& options,
                 Pass& pass, std::vector<Scorer>& all) {
  std::vector<Scorer> scorers = scorers_of(model, options.combine);
  for (const Scorer& scorer : prefix_scorers(model, options.ctc_weight)) {
    scorers.push_back(scorer);
  }
  for (Scorer& scorer : scorers) {
    scorer.memory = std::make_shared<const Remembered>(scorer.decoder->remember(encoded, pass));
    all.push_back(std::move(scorer));
  }
}

/// Fault::usage if weights are wanted of models that see a picture as different grids.
void check_grids(std::span<const Encoded> encoded, bool needs_weights) {
  if (!needs_weights) {
    return;
  }
  for (const Encoded& one : encoded) {
    const std::vector<GridExtent>& first = encoded.front().layout.grids();
    const std::vector<GridExtent>& other = one.layout.grids();
    if (!first.empty() && !other.empty() && first != other) {
      fail(Fault::usage,
           "search: the models see a picture as grids of {} × {} and {} × {} cells, so there is no "
           "mean of their weights; ask for no weights and no coverage, or use models with one grid",
           first.front().height, first.front().width, other.front().height, other.front().width);
    }
  }
}

/// Its steps: the sources are read and admitted, and those of the search.
class WordSearch : public OpenSearch {
 public:
  explicit WordSearch(const SearchRequest& request)
      : models_(request.models.begin(), request.models.end()),
        sources_(request.batch.sentences()),
        options_(request.options),
        first_(FirstBatch{request.batch, {request.sentences.begin(), request.sentences.end()}}) {}

  bool is_done() const override { return run_ && run_->is_done(); }
  bool is_done(int64_t source) const override { return run_ && run_->is_done(source); }
  void step() override {
    const NoGrad no_grad;
    if (run_) {
      run_->step();
    } else {
      join(first_->batch, first_->sentences);
      first_.reset();
    }
  }
  int64_t join(const Batch& batch, std::span<const SentenceOptions> sentences) override;
  void watch(int64_t source, Watcher* watcher) override { run_->watch(source, watcher); }
  void cancel(int64_t source) override {
    run_->cancel(source);
    run_->take(source);
    heard_.erase(source);
  }
  std::vector<Hypothesis> take(int64_t source) override;
  std::vector<std::vector<Hypothesis>> take() override {
    std::vector<std::vector<Hypothesis>> found;
    for (int64_t s = 0; s < sources_; ++s) {
      found.push_back(take(s));
    }
    return found;
  }

 private:
  struct FirstBatch {
    Batch batch;
    std::vector<SentenceOptions> sentences;
  };
  struct HeardSource {
    std::shared_ptr<Heard> batch;
    size_t place = 0;  // in it
  };

  std::vector<Scorer> scorers_of_batch(const Batch& batch, Pass& pass,
                                       std::vector<Encoded>& encoded) const;

  std::vector<const Model*> models_;
  int64_t sources_;  // of the first batch
  SearchOptions options_;
  std::optional<FirstBatch> first_;  // until it is read
  std::optional<Search> run_;
  std::map<int64_t, HeardSource> heard_;  // those whose weights are a ctc decoder's, by number
};

/// The scorers, and what each remembers of the batch.
std::vector<Scorer> WordSearch::scorers_of_batch(const Batch& batch, Pass& pass,
                                                 std::vector<Encoded>& encoded) const {
  std::vector<Scorer> scorers;
  SearchOptions shared = options_;  // λ is that of all models together
  shared.ctc_weight /= static_cast<double>(models_.size());
  for (const Model* model : models_) {
    encoded.push_back(model->encode(batch.source, pass));
    add_scorers(*model, encoded.back(), shared, pass, scorers);
  }
  if (options_.language_model != nullptr && options_.lm_weight > 0) {
    scorers.push_back(
        language_scorer(*options_.language_model, batch.sentences(), options_.lm_weight, pass));
  }
  return scorers;
}

int64_t WordSearch::join(const Batch& batch, std::span<const SentenceOptions> sentences) {
  const NoGrad no_grad;
  Pass pass = Pass::serving();
  std::vector<Encoded> encoded;
  const std::vector<Scorer> scorers = scorers_of_batch(batch, pass, encoded);
  const auto settings_of = [&](int64_t s) -> const SentenceSettings& {
    const auto at = static_cast<size_t>(s);
    return at < sentences.size() && sentences[at].settings ? *sentences[at].settings : options_;
  };
  std::vector<int64_t> hearing;  // sources whose weights are a ctc decoder's
  bool needs_weights = false;
  for (int64_t s = 0; s < batch.sentences(); ++s) {
    needs_weights = needs_weights || settings_of(s).needs_weights();
    if (settings_of(s).weights && options_.weights_of == WeightsOf::ctc) {
      hearing.push_back(s);
    }
  }
  check_grids(encoded, needs_weights);
  const auto heard = hearing.empty()
                         ? nullptr
                         : std::make_shared<Heard>(*models_.front(), std::move(encoded.front()));
  encoded.clear();
  if (!run_) {
    run_.emplace(scorers, models_.front()->place(), options_);
  }
  const int64_t first = run_->admit(memories_of(scorers), sentences);
  for (const int64_t s : hearing) {
    heard_.emplace(first + s, HeardSource{heard, static_cast<size_t>(s)});
  }
  return first;
}

std::vector<Hypothesis> WordSearch::take(int64_t source) {
  const NoGrad no_grad;
  std::vector<Hypothesis> found = run_->take(source);
  const auto heard = heard_.find(source);
  if (heard != heard_.end()) {
    put_spikes(heard->second.batch->frames(heard->second.place), found);
    heard_.erase(heard);
  }
  return found;
}

}  // namespace

std::unique_ptr<BatchSearch> word_search(const SearchRequest& request) {
  return std::make_unique<WordSearch>(request);
}

namespace {

void check_goes_on(const IsCancelled& is_cancelled) {
  if (is_cancelled && is_cancelled()) {
    fail(Fault::cancelled, "search: it was cancelled before its end");
  }
}

}  // namespace

std::vector<std::vector<Hypothesis>> search(std::span<const Scorer> scorers,
                                            std::span<const SentenceOptions> sentences,
                                            const Place& place, const SearchOptions& options,
                                            const IsCancelled& is_cancelled) {
  const auto memories = memories_of(scorers);
  Search run(scorers, place, options);
  const int64_t first = run.admit(memories, sentences);
  while (!run.is_done()) {
    check_goes_on(is_cancelled);
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
                                            const SearchOptions& options,
                                            const IsCancelled& is_cancelled) {
  check_goes_on(is_cancelled);
  const auto run = begin_search({models, batch, sentences, options});
  while (!run->is_done()) {
    check_goes_on(is_cancelled);
    run->step();
  }
  return run->take();
}

std::vector<std::vector<Hypothesis>> search(const Model& model, const Batch& batch,
                                            const SearchOptions& options) {
  const Model* one[] = {&model};
  return search(one, batch, {}, options);
}

}  // namespace heed
