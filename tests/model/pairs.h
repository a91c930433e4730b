// Every encoder with every decoder, small, and a batch for them.
#pragma once

#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/model/decoders.h"
#include "heed/model/encoders.h"
#include "heed/model/model.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/reduce.h"
#include "tests/support/backends.h"

namespace heed::test {

constexpr int64_t source_words = 11;
constexpr int64_t target_words = 9;

/// Biases and the like begin at 0; moved, they matter.
inline void move_parameters(Module& module) {
  for (const NamedParameter& parameter : distinct_parameters_of(module)) {
    const View in[] = {parameter.tensor->view()};
    parameter.tensor->backend().map(function<fn::Affine>, parameter.tensor->view(), in,
                                    {1.0, 0.02});
  }
}

/// A model of these parts, 8 channels wide. `more` sets further settings, as the [model] table of a
/// recipe would.
inline std::unique_ptr<Model> small_model(const std::string& encoder, const std::string& decoder,
                                          const Place& place, const std::string& more = "{}") {
  auto model = std::make_unique<Model>();
  const bool has_width = encoder != "bag" && encoder != "identity" && encoder != "none";
  apply(*model, parse_json("{\"embedding\": 8, \"encoder\": {\"kind\": \"" + encoder + "\"" +
                               (has_width ? ", \"width\": 8" : "") +
                               "}, \"decoder\": {\"kind\": \"" + decoder + "\", \"width\": 8" +
                               (decoder == "transformer" ? "" : ", \"embedding\": 8") + "}}",
                           "test"));
  apply(*model, parse_json(more, "test"));
  Init init(place, 21);
  model->build(RowForm::ids(source_words), RowForm::ids(target_words), init);
  move_parameters(*model);
  return model;
}

/// Names of the decoders that say one word after the other, given what this encoder reads.
inline std::vector<std::string> autoregressive_decoders(const std::string& encoder = "gru") {
  const bool reads_source = encoders().make(encoder)->reads_source();
  std::vector<std::string> names;
  for (const auto& entry : decoders()) {
    const auto made = entry.make();
    if (as<Autoregressive>(*made) != nullptr && (reads_source || !made->needs_source())) {
      names.push_back(entry.name);
    }
  }
  return names;
}

/// Three sentences of 4, 2 and 5 words; targets of 3, 5 and 1.
struct SmallPairs {
  IdSequences source = {{3, 4, 5, 6}, {7, 3}, {10, 9, 8, 3, 4}};
  IdSequences target = {{3, 4, 5}, {8, 7, 3, 3, 4}, {6}};
};
inline Batch small_batch(const Place& place) {
  const SmallPairs pairs;
  return batch_of_ids(pairs.source, pairs.target, place);
}

inline Tensor mean_loss(const Model& model, const Batch& batch, Pass& pass) {
  return mean(cross_entropy(model.teach(batch, {}, pass).logits, batch.target_out, {}));
}

}  // namespace heed::test
