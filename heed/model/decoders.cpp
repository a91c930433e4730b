#include "heed/model/decoders.h"

namespace heed {

const Catalogue<Decoder>& decoders() {
  static const Catalogue<Decoder> all{
      "decoder",
      {
          {"fixed", {}, "s_i = cell([E y_{i−1}; C], s_{i−1})", fixed_decoder},
          {"attend_first",
           {"bahdanau"},
           "c_i from s_{i−1}; s_i = cell([E y_{i−1}; c_i], s_{i−1})",
           attend_first_decoder},
          {"attend_after",
           {"luong"},
           "h_i = cell([E y_{i−1}; h̃_{i−1}]); h̃_i = tanh(W_c [c_i; h_i])",
           attend_after_decoder},
          {"transformer",
           {},
           "masked self-attention, cross-attention, feed-forward",
           transformer_decoder},
          {"labels",
           {},
           "p(y_j) = softmax(W h_j + b): a label for each source token",
           labels_decoder},
          {"sequence_label",
           {},
           "p(y) = softmax(W Σ_j α_j h_j + b): one label for the whole source, by a learnt query",
           sequence_label_decoder},
          {"mask_predict",
           {},
           "p(y_i | other words, x): all positions at once, masked ones in rounds",
           mask_predict_decoder},
          {"ctc",
           {},
           "p(π_t | x) = softmax(W h_t + b): a word or the blank at every frame, then collapsed",
           ctc_decoder},
      }};
  return all;
}

}  // namespace heed
