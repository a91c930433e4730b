#include "heed/model/decoders.h"

namespace heed {

const Catalogue<Decoder>& decoders() {
  static const Catalogue<Decoder> all{
      "decoder",
      {
          {"fixed",
           {},
           "s_i = cell([E y_{i−1}; C], s_{i−1})",
           HEED_MADE_BY(Decoder, fixed_decoder)},
          {"attend_first",
           {"bahdanau"},
           "c_i from s_{i−1}; s_i = cell([E y_{i−1}; c_i], s_{i−1})",
           HEED_MADE_BY(Decoder, attend_first_decoder)},
          {"attend_after",
           {"luong"},
           "h_i = cell([E y_{i−1}; h̃_{i−1}]); h̃_i = tanh(W_c [c_i; h_i])",
           HEED_MADE_BY(Decoder, attend_after_decoder)},
          {"transformer",
           {},
           "masked self-attention, cross-attention, feed-forward",
           HEED_MADE_BY(Decoder, transformer_decoder)},
          {"labels",
           {},
           "p(y_j) = softmax(W h_j + b): a label for each source token",
           HEED_MADE_BY(Decoder, labels_decoder)},
          {"sequence_label",
           {},
           "p(y) = softmax(W Σ_j α_j h_j + b): one label for the whole source, by a learnt query",
           HEED_MADE_BY(Decoder, sequence_label_decoder)},
          {"mask_predict",
           {},
           "p(y_i | other words, x): all positions at once, masked ones in rounds",
           HEED_MADE_BY(Decoder, mask_predict_decoder)},
          {"ctc",
           {},
           "p(π_t | x) = softmax(W h_t + b): a word or the blank at every frame, then collapsed",
           HEED_MADE_BY(Decoder, ctc_decoder)},
      }};
  return all;
}

}  // namespace heed
