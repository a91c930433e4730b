#include "heed/train/objective/sequence_objective.h"

#include <numeric>
#include <optional>

#include "heed/base/error.h"
#include "heed/tensor/tape.h"

namespace heed {

void SequenceObjective::describe(Describer& d) {
  Objective::describe(d);
  d.setting("samples", samples_,
            {.help = "outputs of every sentence that are drawn from the model",
             .least = 1,
             .most = 1024});
  d.setting("dropout", has_dropout_,
            {"teach outputs with the model's dropout; they are found without it"});
  reward_.describe(d);
}

void SequenceObjective::attach(Model& model) {
  Objective::attach(model);
  const Decoder& taught = model.decoder(decoder());
  if (!model.reads_source() || as<Autoregressive>(taught) == nullptr) {
    fail(Fault::usage,
         "training.objectives: {} is for a source and a decoder that writes one word after the "
         "other, not for {}; leave it out",
         kind(),
         model.reads_source() ? "the decoder " + taught.kind() : "a model without a source");
  }
}

SequenceObjective::EncodedBatch SequenceObjective::encoded_batch(const TaughtBatch& taught) const {
  require(taught.model != nullptr, "{}: saw no model, needs one to draw outputs from", kind());
  const auto& decoder = *as<Autoregressive>(taught.model->decoder(this->decoder()));
  std::optional<NoGrad> only_searched;
  if (has_dropout_) {
    only_searched.emplace();
  }
  Pass pass = Pass::serving();
  return {*taught.model,
          decoder,
          taught.batch,
          taught.model->encode(taught.batch.source, pass),
          right_outputs(taught.batch),
          reward_.references_of(taught.batch)};
}

std::vector<TaughtOutput> SequenceObjective::sampled(const EncodedBatch& encoded,
                                                     double temperature,
                                                     const RandomKey& key) const {
  SearchOptions options;
  options.strategy = "sample";
  options.n_best = samples_;
  options.strategies.set("temperature", temperature);
  options.seed = Draws(key).bits64(0);
  return found_outputs(encoded.model, encoded.decoder, encoded.source, encoded.batch, options);
}

std::vector<double> SequenceObjective::rewards_of(const std::vector<TaughtOutput>& outputs,
                                                  const EncodedBatch& encoded) const {
  std::vector<double> rewards;
  rewards.reserve(outputs.size());
  for (const TaughtOutput& output : outputs) {
    rewards.push_back(
        reward_(output.ids, encoded.references[static_cast<size_t>(output.sentence)]));
  }
  return rewards;
}

Tensor SequenceObjective::taught_log_probabilities(const EncodedBatch& encoded,
                                                   const std::vector<TaughtOutput>& outputs,
                                                   double temperature, const RandomKey& key) const {
  if (!has_dropout_) {
    Pass pass = Pass::serving();
    return log_probabilities(encoded.decoder, encoded.source, outputs, temperature, pass);
  }
  Pass pass = Pass::training(Draws(key).bits64(1), 0);
  const Encoded source = encoded.model.encode(encoded.batch.source, pass);
  return log_probabilities(encoded.decoder, source, outputs, temperature, pass);
}

Tensor mean_of(const std::vector<double>& numbers, const Place& place) {
  const double total = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  return Tensor::full({}, total / static_cast<double>(numbers.size()), place);
}

}  // namespace heed
