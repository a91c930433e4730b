// Fused attention, forward. The rows of all heads are cut into pieces, and pieces form chunks for
// the threads; the grid depends on the shape only.
#include "heed/backend/cpu/attend/additive_tiles.h"
#include "heed/backend/cpu/attend/checks.h"
#include "heed/backend/cpu/attend/dot_tiles.h"
#include "heed/backend/cpu/attend/forward.h"
#include "heed/backend/cpu/attend/rounded_attend.h"
#include "heed/backend/cpu/attend/rounded_tiles.h"
#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/kernels.h"

namespace heed::cpu {
namespace {

constexpr int64_t rows_a_piece = 256;
constexpr int64_t work_a_chunk = 1 << 18;  // multiply-adds

template <class Policy>
void attend_by(const AttendStep& step, typename Forward<Policy>::Setup setup = {}) {
  const Shape& query = step.score.query.shape;  // [M, G, P, R, A]
  const int64_t rows = query[3];
  const int64_t pieces = pieces_of(rows, rows_a_piece);
  const int64_t work =
      std::min(rows, rows_a_piece) * step.values.shape[2] * (query[4] + step.values.shape[3]);
  const Forward<Policy> forward(step, setup);
  const auto head_of = [&](int64_t unit) {
    const int64_t head = unit / pieces;
    const int64_t group = head / query[2];
    return HeadOf{group / query[1], group % query[1], head % query[2]};
  };
  const int64_t units = query[0] * query[1] * query[2] * pieces;
  each_range(units, std::max<int64_t>(1, work_a_chunk / std::max<int64_t>(1, work)),
             [&](int64_t begin, int64_t end) {
               for (int64_t unit = begin; unit < end; ++unit) {
                 const int64_t row = unit % pieces * rows_a_piece;
                 forward.piece(head_of(unit), row, std::min(rows_a_piece, rows - row));
               }
             });
}

}  // namespace

const TileKernel* rounding_kernel(const AttendStep& step) {
  const TileKernel& kernel = tile_kernel(Precision::bf16);
  return step.precision == Precision::bf16 && kernel.rows == Element::bf16 &&
                 std::holds_alternative<DotPairs>(step.score.kind) &&
                 step.score.query.shape[3] > few_query_rows
             ? &kernel
             : nullptr;
}

void attend_rounded(const AttendStep& step, const TileKernel& kernel) {
  check_step(step, "attend");
  attend_by<RoundedDotTiles>(step, {&kernel});
}

void attend(const AttendStep& step) {
  if (const TileKernel* kernel = rounding_kernel(step)) {
    return attend_rounded(step, *kernel);
  }
  check_step(step, "attend");
  if (std::holds_alternative<DotPairs>(step.score.kind)) {
    attend_by<DotTiles>(step);
  } else {
    attend_by<AdditiveTiles>(step);
  }
}

}  // namespace heed::cpu
