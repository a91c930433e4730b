// Which calls the fused attention of the CPU takes, and what it keeps for the gradient.
#include "heed/backend/cpu/kernels.h"
#include "heed/device/kernel/attend.h"

namespace heed::cpu {
namespace {

/// Whether weights are undivided exponentials, which may overflow; these are composed instead.
bool overflows(const LoweredNormaliser& normaliser) {
  const auto* streaming = std::get_if<Streaming>(&normaliser);
  return streaming != nullptr && streaming->kind == Streaming::Kind::exp &&
         streaming->divide != Streaming::Divide::sum;
}

/// Computing scores and weights again costs a seventh of both passes with dot scores and a quarter
/// with additive ones (Neoverse-N1). Weights are kept if they need no more memory than queries,
/// keys, values and contexts. Weights of dot scores are also kept up to a constant size, which is
/// larger for wide heads, whose scores cost more.
bool keeps_weights(const AttendPlan& plan) {
  const int64_t most = plan.is_additive ? 0 : plan.key_width >= 96 ? 1 << 23 : 1 << 21;
  const bool is_short = plan.grid[4] <= 4 * plan.key_width;
  return !plan.has_centre && (is_short || plan.grid.numel() <= most);
}

}  // namespace

bool plan_attend(Backend& /*backend*/, const AttendPlan& plan) {
  if (plan.dtype != DType::f32 || plan.grid.numel() == 0 || overflows(plan.normaliser)) {
    return false;
  }
  // With one row (a decoder's step) or one group of heads, each call adds to the gradients of the
  // calls before it.
  *plan.answer = {.keeps_weights = keeps_weights(plan),
                  .gathers_slots = plan.grid[3] == 1 || plan.grid[1] == 1};
  return true;
}

}  // namespace heed::cpu
