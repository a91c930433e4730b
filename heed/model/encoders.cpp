#include "heed/model/encoders.h"

namespace heed {

const Catalogue<Encoder>& encoders() {
  static const Catalogue<Encoder> all{
      "encoder",
      {
          {"rnn", {}, "h_j = tanh(W x_j + U h_{j−1} + b), either or both directions", rnn_encoder},
          {"gru", {}, "gated recurrent units, either or both directions", gru_encoder},
          {"lstm", {}, "long short-term memory, either or both directions", lstm_encoder},
          {"cnn", {}, "x + glu(conv(x)), stacked", cnn_encoder},
          {"transformer", {}, "self-attention and feed-forward blocks", transformer_encoder},
          {"pyramid", {}, "recurrent layers that join every two rows below", pyramid_encoder},
          {"conformer",
           {},
           "½ feed-forward, self-attention, convolution, ½ feed-forward",
           conformer_encoder},
          {"bag", {}, "embedded words, their mean", bag_encoder},
          {"identity",
           {},
           "the front's rows unchanged: a memory given from outside",
           identity_encoder},
          {"none", {}, "nothing is read: a language model", no_encoder},
      }};
  return all;
}

}  // namespace heed
