#include "heed/search/word_search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "heed/attention/chosen_weights.h"
#include "heed/model/ctc/paths.h"
#include "heed/search/scorers.h"
#include "heed/search/search.h"
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
         "search: --weights-of ctc is asked for, but there is no ctc decoder beside {}; leave it "
         "out",
         model.decoder().kind());
  }
  const auto& decoder = dynamic_cast<const Framewise&>(*scorers.front().decoder);
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
        options_(request.options) {
    check_ends_by_itself(models_.front()->decoder(), options_);
  }

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

void check_ends_by_itself(const Decoder& main, const SearchOptions& options) {
  if (options.length > 0) {
    fail(Fault::usage,
         "search: --length {} is for decoders that fill all positions, and {} ends by itself; "
         "leave it out",
         options.length, main.kind());
  }
}

std::unique_ptr<BatchSearch> word_search(const SearchRequest& request) {
  return std::make_unique<WordSearch>(request);
}

}  // namespace heed
