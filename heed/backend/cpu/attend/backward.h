// The backward pass of one piece: some rows of the heads that share one key/value head.
//
//   P = the used weights, recomputed from scores and state     dP = dO Vᵀ     dS by the normaliser
//   dV += Pᵀ dO      dQ, dK and dv by the score's policy from dS
#pragma once

#include "heed/backend/cpu/attend/forward.h"

namespace heed::cpu {

/// Where a piece adds the gradients that several rows and heads share: the results themselves, or
/// its own sums that are added in order afterwards.
struct SharedGradients {
  TileRows dkeys;
  TileRows dvalues;
  TileRows dv;  // a row for each head of the group
};

template <class Policy>
class Backward {
 public:
  using Tiles = TilesOf<Policy>;
  using Setup = typename Tiles::Setup;
  using Values = typename Tiles::Values;

  explicit Backward(const AttendGradient& gradient, Setup setup = {})
      : gradient_(gradient), step_(gradient.step), setup_(setup) {}

  void piece(HeadOf at, int64_t row, int64_t rows, const SharedGradients& to) const {
    const int64_t heads = step_.score.query.shape[2];
    for (at.head = 0; at.head < heads; ++at.head) {
      head(at, row, rows, to);
    }
  }

 private:
  int64_t slots() const { return step_.values.shape[2]; }
  int64_t width() const { return step_.values.shape[3]; }
  int64_t pair_width() const { return step_.score.keys.shape[3]; }

  void head(const HeadOf& at, int64_t row, int64_t rows, const SharedGradients& to) const {
    const SlotRange all = RowRanges(step_.where, at, slots()).joined(row, rows);
    const int64_t seen = all.end - all.begin;
    Policy policy = Tiles::scores(step_, at, setup_);
    Values values = Tiles::values(step_, at, setup_);
    if (!all.empty()) {
      prepare(policy, values, {row, rows, all.begin, seen}, head_rows(gradient_.dcontext, at));
    }
    const HeadGradients shared{head_rows(gradient_.dquery, at), to.dkeys,
                               to.dv ? to.dv[at.head] : nullptr};
    // Σ α dα = dO · c if no weights were reported; then a block need not hold whole rows.
    const bool by_windows = std::holds_alternative<Streaming>(step_.normaliser) &&
                            step_.context.data != nullptr && gradient_.dweights.data == nullptr;
    const BlockCut cut = Tiles::cut(setup_);
    const int64_t window = by_windows ? slots_a_window / cut.step * cut.step : most(seen);
    const int64_t height = rows_a_block(2 * std::min(seen, window));
    for (int64_t done = 0; done < rows; done += height) {
      const int64_t first = row + done;
      const int64_t count = std::min(height, rows - done);
      std::array<float, most_rows_a_block> means;
      for (int64_t i = 0; i < count; ++i) {
        begin_row(at, first + i);
        means[i] = by_windows ? mean_of(at, first + i) : 0;
      }
      if constexpr (requires { policy.begin_rows(first, count); }) {
        if (!all.empty()) {
          policy.begin_rows(first, count);
          values.begin_rows(first, count);
        }
      }
      for (int64_t slot = all.begin; slot < all.end; slot += window) {
        RowBlock block(step_, {at, first, count, {slot, std::min(all.end, slot + window)}, cut});
        run(policy, values, block, {to.dvalues, shared, by_windows ? means.data() : nullptr});
      }
    }
  }

  static constexpr int64_t slots_a_window = 256;
  static int64_t most(int64_t seen) { return std::max<int64_t>(1, seen); }

  void prepare(Policy& policy, Values& values, const Block& all, TileRows dcontext) const {
    if constexpr (requires { policy.prepare_gradients(all, true); }) {
      policy.prepare_gradients(all, !leaves_weights(step_));
    } else {
      policy.prepare(all);
    }
    values.prepare_gradients(all, dcontext);
  }

  float mean_of(const HeadOf& at, int64_t row) const {
    const float* dcontext = head_rows(gradient_.dcontext, at)[row];
    const float* context = head_rows(step_.context, at)[row];
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t a = 0; a < width(); ++a) {
      sum += dcontext[a] * context[a];
    }
    return sum;
  }

  /// Sets the gradients that are written row by row to zero.
  void begin_row(const HeadOf& at, int64_t row) const {
    if (const TileRows dquery = head_rows(gradient_.dquery, at)) {
      std::fill_n(dquery[row], pair_width(), 0.0F);
    }
    if (const TileRows dbias = head_rows(gradient_.dbias, at)) {
      std::fill_n(dbias[row], slots(), 0.0F);
    }
    if (const TileRows dcentre = head_rows(gradient_.dcentre, at)) {
      *dcentre[row] = 0;
    }
  }

  struct To {
    TileRows dvalues;
    const HeadGradients& shared;
    const float* means;
  };

  void run(const Policy& policy, const Values& values, RowBlock& block, const To& to) const {
    const TileRows p = block.matrix(Scratch::scores);
    const TileRows ds = block.matrix(Scratch::gradients);
    if (block.has_weights()) {
      block.recall(p);
    } else {
      scores_of(policy, block, p);
    }
    values.dweights(block, ds);
    block.gradients({gradient_, p, ds, policy.scale(), to.means});
    values.dvalues(block, p, to.dvalues);
    if constexpr (requires { policy.gradients(block, ds, to.shared); }) {
      policy.gradients(block, ds, to.shared);
    } else {
      block.each_tile([&](const Block& b) { policy.gradients(b, block.at(ds, b), to.shared); });
    }
  }

  const AttendGradient& gradient_;
  const AttendStep& step_;
  Setup setup_;
};

}  // namespace heed::cpu
