#include "heed/nn/positions.h"

namespace heed {

const Catalogue<PositionCode>& positions() {
  static const Catalogue<PositionCode> all{
      "position",
      {
          {"sinusoidal",
           {},
           "x_2i + sin(p / 10000^(2i/D)), x_2i+1 + cos(p / 10000^(2i/D))",
           HEED_MADE_BY(PositionCode, sinusoidal_positions)},
          {"learned", {}, "x + P[p]", HEED_MADE_BY(PositionCode, learned_positions)},
          {"none", {}, "x", HEED_MADE_BY(PositionCode, no_positions)},
          {"rotary",
           {},
           "self-attention's queries and keys rotated by p θ_i",
           HEED_MADE_BY(PositionCode, rotary_positions)},
          {"alibi",
           {},
           "self-attention's scores − m_h |i − j|",
           HEED_MADE_BY(PositionCode, alibi_positions)},
          {"relative",
           {},
           "self-attention's scores + b[bucket(j − i), h]",
           HEED_MADE_BY(PositionCode, relative_positions)},
      }};
  return all;
}

}  // namespace heed
