// Whole searches: sentences are admitted at once and stepped to their ends.
#include <algorithm>

#include "heed/attention/chosen_weights.h"
#include "heed/search/ctc_search.h"
#include "heed/search/label.h"
#include "heed/search/mask_predict.h"
#include "heed/search/scorers.h"
#include "heed/search/search.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

void check_goes_on(const IsCancelled& is_cancelled) {
  if (is_cancelled && is_cancelled()) {
    fail(Fault::cancelled, "search: it was cancelled before its end");
  }
}

/// Fault::usage if the options need an autoregressive decoder, which the main one is not.
void check_alone(std::span<const Model* const> models, std::span<const SentenceOptions> sentences,
                 const SearchOptions& options) {
  const std::string kind = models.front()->decoder().kind();
  if (models.size() > 1 || !options.combine.empty()) {
    fail(Fault::usage,
         "search: {} for decoders that write one word after the other, and {} does not; leave it "
         "out",
         models.size() > 1 ? "several models are" : "--combine is", kind);
  }
  const bool is_framewise = dynamic_cast<const Framewise*>(&models.front()->decoder()) != nullptr;
  if (options.language_model != nullptr && !is_framewise) {
    fail(Fault::usage,
         "search: --lm is for ctc and for decoders that write one word after the other, and {} "
         "does not; leave it out",
         kind);
  }
  if (const Rule* rule = options.rules.first_on()) {
    fail(Fault::usage,
         "search: {} is for decoders that write one word after the other, and {} does not; leave "
         "it out",
         rule->kind(), kind);
  }
  for (const SentenceOptions& own : sentences) {
    if (!own.prefix.empty() || !own.phrases.empty()) {
      fail(Fault::usage,
           "search: {} is for decoders that write one word after the other, and {} does not; leave "
           "it out",
           own.prefix.empty() ? "a phrase to say" : "a prefix", kind);
    }
  }
}

/// What a language model remembers: as many sources as there are, each empty.
Member language_member(const Model& model, int64_t sentences, double weight, Pass& pass) {
  if (model.reads_source()) {
    fail(Fault::usage,
         "search: the language model reads a source; train one with data.source = \"none\" and "
         "model.encoder = \"none\"");
  }
  const std::vector<int32_t> nothing(static_cast<size_t>(sentences), 0);
  const FieldRows none{{}, Layout::packed(nothing, model.place())};
  const Autoregressive& decoder = model.autoregressive();
  return {&decoder, std::make_shared<const Remembered>(model.remember(none, pass)), weight,
          ScorerRole::added};
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

/// What the decoders of a model that take part remember of the batch.
void add_members(const Model& model, const Encoded& encoded, const SearchOptions& options,
                 Pass& pass, std::vector<Member>& members) {
  std::vector<Scorer> scorers = scorers_of(model, options.combine);
  for (const Scorer& scorer : prefix_scorers(model, options.ctc_weight)) {
    scorers.push_back(scorer);
  }
  for (const Scorer& scorer : scorers) {
    members.push_back({scorer.decoder,
                       std::make_shared<const Remembered>(scorer.decoder->remember(encoded, pass)),
                       scorer.weight, scorer.role});
  }
}

/// Fault::usage if a number of words is asked of a decoder that ends by itself.
void check_ends_by_itself(const Decoder& main, const SearchOptions& options) {
  if (options.length > 0) {
    fail(Fault::usage,
         "search: --length {} is for decoders that fill all positions, and {} ends by itself; "
         "leave it out",
         options.length, main.kind());
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

}  // namespace

std::unique_ptr<BatchSearch> batch_search(const Model& model, const Batch& batch,
                                          const SearchOptions& options) {
  const Decoder& main = model.decoder();
  if (dynamic_cast<const Labelling*>(&main) != nullptr) {
    return label_search(model, batch, options);
  }
  if (dynamic_cast<const Framewise*>(&main) == nullptr) {
    return mask_predict_search(model, batch, options);
  }
  check_ends_by_itself(main, options);
  return ctc_search(model, batch, options);
}

std::vector<std::vector<Hypothesis>> search(std::span<const Member> members,
                                            std::span<const SentenceOptions> sentences,
                                            const Place& place, const SearchOptions& options,
                                            const IsCancelled& is_cancelled) {
  std::vector<Scorer> scorers;
  std::vector<std::shared_ptr<const Remembered>> memories;
  for (const Member& member : members) {
    scorers.push_back({member.decoder, member.weight, member.role});
    memories.push_back(member.memory);
  }
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
  require(!models.empty(), "search: saw no model, needs one");
  const Decoder& main = models.front()->decoder();
  if (dynamic_cast<const Autoregressive*>(&main) == nullptr) {
    check_alone(models, sentences, options);
    const auto run = batch_search(*models.front(), batch, options);
    while (!run->is_done()) {
      check_goes_on(is_cancelled);
      run->step();
    }
    return run->take();
  }
  check_ends_by_itself(main, options);
  const NoGrad no_grad;
  Pass pass = Pass::serving();
  std::vector<Member> members;
  SearchOptions shared = options;  // λ is that of all models together
  shared.ctc_weight /= static_cast<double>(models.size());
  std::vector<Encoded> encoded;
  for (const Model* model : models) {
    encoded.push_back(model->encode(batch.source, pass));
    add_members(*model, encoded.back(), shared, pass, members);
  }
  check_grids(encoded, need_weights(sentences, options));
  if (options.language_model != nullptr && options.lm_weight > 0) {
    members.push_back(
        language_member(*options.language_model, batch.sentences(), options.lm_weight, pass));
  }
  auto found = search(members, sentences, models.front()->place(), options, is_cancelled);
  if (options.weights && options.weights_of == WeightsOf::ctc) {
    put_spikes(*models.front(), encoded.front(), found);
  }
  return found;
}

std::vector<std::vector<Hypothesis>> search(const Model& model, const Batch& batch,
                                            const SearchOptions& options) {
  const Model* one[] = {&model};
  return search(one, batch, {}, options);
}

}  // namespace heed
