#include "heed/model/fronts.h"

namespace heed {

const Catalogue<Front>& fronts() {
  static const Catalogue<Front> all{
      "front",
      {
          {"words", {}, "E[id], a vector for every word", HEED_MADE_BY(Front, words_front)},
          {"frames",
           {},
           "W [x_js; … x_js+k−1] + b, rows of numbers, stacked",
           HEED_MADE_BY(Front, frames_front)},
          {"subsample",
           {},
           "f(conv(…)) with strides, usually 2, stacked: fewer rows",
           HEED_MADE_BY(Front, subsample_front)},
          {"convolutional",
           {},
           "norm(network(x)), the cells of a trained network's grid",
           HEED_MADE_BY(Front, convolutional_front)},
          {"stages",
           {},
           "f(norm(W ∗ x)), a small convolutional network, trained with the model",
           HEED_MADE_BY(Front, stages_front)},
          {"patches",
           {},
           "W [p_is,js; …] + b, patches of a picture",
           HEED_MADE_BY(Front, patches_front)},
      }};
  return all;
}

void check_pairing(const Front& front, const Field& source) {
  if (front.reads() == source.row_kind()) {
    return;
  }
  std::string others;
  for (const auto& entry : fronts()) {
    if (entry.make()->reads() == source.row_kind()) {
      others += (others.empty() ? "" : ", ") + entry.name;
    }
  }
  fail(
      Fault::usage,
      "model.front: {} does not read the field {} of data.source{}; set model.front or data.source",
      front.kind(), source.kind(), others.empty() ? "" : fmt::format(" ({} would)", others));
}

}  // namespace heed
