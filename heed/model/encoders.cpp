#include "heed/model/encoders.h"

namespace heed {

const Catalogue<Encoder>& encoders() {
  static const Catalogue<Encoder> all{
      "encoder",
      {
          {"rnn",
           {},
           "h_j = tanh(W x_j + U h_{j−1} + b), either or both directions",
           HEED_MADE_BY(Encoder, rnn_encoder)},
          {"gru",
           {},
           "gated recurrent units, either or both directions",
           HEED_MADE_BY(Encoder, gru_encoder)},
          {"lstm",
           {},
           "long short-term memory, either or both directions",
           HEED_MADE_BY(Encoder, lstm_encoder)},
          {"cnn", {}, "x + glu(conv(x)), stacked", HEED_MADE_BY(Encoder, cnn_encoder)},
          {"transformer",
           {},
           "self-attention and feed-forward blocks",
           HEED_MADE_BY(Encoder, transformer_encoder)},
          {"pyramid",
           {},
           "recurrent layers that join every two rows below",
           HEED_MADE_BY(Encoder, pyramid_encoder)},
          {"conformer",
           {},
           "½ feed-forward, self-attention, convolution, ½ feed-forward",
           HEED_MADE_BY(Encoder, conformer_encoder)},
          {"bag", {}, "embedded words, their mean", HEED_MADE_BY(Encoder, bag_encoder)},
          {"identity",
           {},
           "the front's rows unchanged: a memory given from outside",
           HEED_MADE_BY(Encoder, identity_encoder)},
          {"none", {}, "nothing is read: a language model", HEED_MADE_BY(Encoder, no_encoder)},
      }};
  return all;
}

}  // namespace heed
