// The search of decoders that write one word after the other, for a whole batch: its sentences are
// admitted to a Search at once and stepped to their ends. Several models with the same vocabularies
// predict as one, by the mean of their predictions; so do the decoders of a model that the options
// combine. Framewise decoders beside the main one and a language model add their scores (ensemble.h).
#include <algorithm>
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

/// Gives every hypothesis the weights of the model's ctc decoder beside the main one: where it hears each
/// word.
void put_spikes(const Model& model, const Encoded& encoded,
                std::vector<std::vector<Hypothesis>>& found) {
  const std::vector<Scorer> scorers = prefix_scorers(model, 1);
  if (scorers.empty()) {
    fail(Fault::usage,
         "search: `weights_of` ctc is asked for, but there is no ctc decoder beside {}; leave it "
         "out",
         model.decoder().kind());
  }
  const auto& decoder = *as<Framewise>(*scorers.front().decoder);
  Pass pass = Pass::serving();
  const Decoded said = decoder.at_frames(decoder.remember(encoded, pass), {.weights = true}, pass);
  const auto sentences = ctc_frames(said, chosen_weights(said.reports, -1, -1));
  for (size_t s = 0; s < found.size(); ++s) {
    for (Hypothesis& one : found[s]) {
      one.weights = slot_spikes(sentences[s], one.ids);
      one.weights.resize(one.ids.size() + (one.ended ? 1 : 0));
    }
  }
}

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

/// Whether attention weights are asked for.
bool need_weights(std::span<const SentenceOptions> sentences, const SearchOptions& options) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [](const SentenceOptions& one) {
                       return one.settings && one.settings->needs_weights();
                     }) ||
         options.needs_weights();
}

/// Its steps: the sources are read and admitted, and those of the search.
class WordSearch : public BatchSearch {
 public:
  explicit WordSearch(const SearchRequest& request)
      : models_(request.models.begin(), request.models.end()),
        source_(request.batch.source),
        sources_(request.batch.sentences()),
        sentences_(request.sentences.begin(), request.sentences.end()),
        options_(request.options) {}

  bool is_done() const override { return run_ && run_->is_done(); }
  void step() override {
    const NoGrad no_grad;
    if (run_) {
      run_->step();
    } else {
      begin();
    }
  }
  std::vector<std::vector<Hypothesis>> take() override {
    std::vector<std::vector<Hypothesis>> found;
    for (int64_t s = first_; s < first_ + sources_; ++s) {
      found.push_back(run_->take(s));
    }
    if (options_.weights && options_.weights_of == WeightsOf::ctc) {
      const NoGrad no_grad;
      put_spikes(*models_.front(), encoded_, found);
    }
    return found;
  }

 private:
  void begin() {
    Pass pass = Pass::serving();
    std::vector<Scorer> scorers;
    SearchOptions shared = options_;  // λ is that of all models together
    shared.ctc_weight /= static_cast<double>(models_.size());
    std::vector<Encoded> encoded;
    for (const Model* model : models_) {
      encoded.push_back(model->encode(source_, pass));
      add_scorers(*model, encoded.back(), shared, pass, scorers);
    }
    check_grids(encoded, need_weights(sentences_, options_));
    if (options_.language_model != nullptr && options_.lm_weight > 0) {
      scorers.push_back(
          language_scorer(*options_.language_model, sources_, options_.lm_weight, pass));
    }
    encoded_ = std::move(encoded.front());
    run_.emplace(scorers, models_.front()->place(), options_);
    first_ = run_->admit(memories_of(scorers), sentences_);
  }

  std::vector<const Model*> models_;
  FieldRows source_;
  int64_t sources_;
  std::vector<SentenceOptions> sentences_;
  SearchOptions options_;
  Encoded encoded_;  // of the first model
  std::optional<Search> run_;
  int64_t first_ = 0;
};

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
