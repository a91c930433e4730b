// What a head's map α [T, S] looks like at a glance, whatever its size.
//
//   entropy      (1/T) Σ_i −Σ_j α_ij ln α_ij                           0: every row looks at one slot
//   distance     (1/T) Σ_i Σ_j α_ij |j − d_i|,  d_i = (i + ½) S/T − ½   in slots, from the diagonal
//   diagonality  (1/T) Σ_i (1 − Σ_j α_ij |j − d_i| / max_j |j − d_i|)   1: it is the diagonal
//                (Zhang 2021, for T = S)
//   thumbnail    the mean of α over the rows and columns that fall into each of its cells
//
// Each row counts as if it added up to 1; rows without weights do not count. The cells of a picture lie
// in no line, so they have no distance and no diagonality.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "heed/base/json.h"
#include "heed/engine/answer/attention_maps.h"

namespace heed {

struct HeadFigures {
  double entropy = 0;
  std::optional<double> distance;
  std::optional<double> diagonality;
};

/// Of a map with this many columns; `in_line`: they lie one behind the other.
HeadFigures figures_of(std::span<const float> map, std::size_t columns, bool in_line);

struct Thumbnail {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> weights;  // [rows, columns]
};

inline constexpr std::size_t thumbnail_side = 48;

/// At most `side` rows and columns; a smaller map stays as it is.
Thumbnail thumbnail_of(std::span<const float> map, std::size_t columns,
                       std::size_t side = thumbnail_side);

/// {"of": "self", "rows": T, "columns": S, "blocks": [{"heads": [{"entropy": …, "distance": …,
/// "diagonality": …, "thumbnail": [[…]]}]}]}, whose size does not depend on T and S.
Json written_heads(const AttentionMaps& maps, std::size_t side = thumbnail_side);

}  // namespace heed
