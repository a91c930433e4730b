#include "heed/ops/ctc.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "heed/ops/cast.h"
#include "heed/ops/gather.h"
#include "heed/ops/mapped.h"
#include "heed/ops/reduced.h"
#include "heed/ops/reshape.h"
#include "heed/ops/rows.h"
#include "heed/ops/softmax.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// The logarithm of what cannot be. It is finite, so that differences of two such numbers are
/// numbers, and may be added to itself once for every frame.
constexpr float impossible = -1e30F;

/// The states of all sequences side by side, B × S, as plain numbers.
struct States {
  int64_t count = 0;            // S, of the longest label sequence
  std::vector<int32_t> symbol;  // z_s; −1 beyond a sequence's last state
  std::vector<float> start;     // 0 where a path may begin, else impossible
  std::vector<float> skip;      // 0 where a path may come from two states before
  std::vector<float> end;       // 0 where a path may end
  std::vector<float> counts;    // [B]: 1, or 0 for sequences that are skipped
};

/// How many frames a path through these labels has at least.
int64_t least_frames(std::span<const int32_t> labels) {
  auto frames = static_cast<int64_t>(labels.size());
  for (size_t i = 1; i < labels.size(); ++i) {
    frames += labels[i] == labels[i - 1] ? 1 : 0;
  }
  return frames;
}

void check_labels(std::span<const int32_t> labels, int64_t classes, const CtcOptions& options) {
  for (const int32_t label : labels) {
    require(label >= 0 && label < classes && label != options.blank,
            "ctc: saw the label {}, needs one from 0 to {} that is not the blank, {}", label,
            classes - 1, options.blank);
  }
}

void add_states(std::span<const int32_t> labels, int32_t blank, States& states) {
  const auto last = static_cast<int64_t>(2 * labels.size());  // the last blank
  for (int64_t s = 0; s < states.count; ++s) {
    const bool is_label = s % 2 == 1 && s < last;
    const auto i = static_cast<size_t>(s / 2);
    states.symbol.push_back(s > last ? -1 : is_label ? labels[i] : blank);
    const bool skips = is_label && i > 0 && labels[i] != labels[i - 1];
    states.start.push_back(s <= std::min<int64_t>(1, last) ? 0 : impossible);
    states.skip.push_back(skips ? 0 : impossible);
    states.end.push_back(s == last || (s == last - 1) ? 0 : impossible);
  }
}

States states_of(const CtcLabels& labels, const Layout& frames, int64_t classes,
                 const CtcOptions& options) {
  States states;
  states.count = 2 * *std::max_element(labels.lengths.begin(), labels.lengths.end()) + 1;
  size_t first = 0;
  for (size_t b = 0; b < labels.lengths.size(); ++b) {
    const auto count = static_cast<size_t>(labels.lengths[b]);
    const auto mine = labels.labels.subspan(first, count);
    first += count;
    check_labels(mine, classes, options);
    const int64_t least = least_frames(mine);
    const int64_t there = frames.lengths()[b];
    require(there >= least || options.no_path == NoPath::skip,
            "ctc: {} frames are too few for {} labels (sequence {}), which take at least {}; use "
            "shorter labels, "
            "keep more frames (a decoder may upsample), or skip such targets (no_path)",
            there, mine.size(), b, least);
    add_states(mine, options.blank, states);
    states.counts.push_back(there >= least && there > 0 ? 1 : 0);
  }
  return states;
}

/// Which number of [N · V] is ln q_t(s), for all [W, B, S]; −1 beyond a sequence's end.
std::vector<int32_t> emission_index(const States& states, const Layout& frames, int64_t classes) {
  std::vector<int32_t> index;
  index.reserve(static_cast<size_t>(frames.width()) * states.symbol.size());
  for (int64_t t = 0; t < frames.width(); ++t) {
    for (size_t b = 0; b < frames.lengths().size(); ++b) {
      const int64_t row = frames.starts()[b] + t;
      for (int64_t s = 0; s < states.count; ++s) {
        const int32_t symbol =
            states.symbol[b * static_cast<size_t>(states.count) + static_cast<size_t>(s)];
        const bool is_there = t < frames.lengths()[b] && symbol >= 0;
        index.push_back(is_there ? static_cast<int32_t>(row * classes + symbol) : -1);
      }
    }
  }
  return index;
}

Tensor columns(const Tensor& x, int64_t first, int64_t count) {
  return x.seen_as(sliced(x.view(), -1 + x.rank(), first, count));
}

/// Frame t of [W, B, …] as [B, …].
Tensor frame(const Tensor& x, int64_t t) {
  return x.seen_as(*reshaped(sliced(x.view(), 0, t, 1), {x.size(1), x.size(2)}));
}

/// ln(eᵃ + eᵇ + eᶜ)
Tensor log_sum(const Tensor& a, const Tensor& b, const Tensor& c) {
  const Tensor most = mapped(function<fn::Maximum>, {mapped(function<fn::Maximum>, {a, b}), c});
  Tensor sum;
  for (const Tensor* part : {&a, &b, &c}) {
    Tensor one = mapped(function<fn::Subtract>, {*part, most});
    map_into(one, function<fn::Exp>, {one});
    if (sum) {
      map_into(sum, function<fn::Add>, {sum, one});
    } else {
      sum = one;
    }
  }
  map_into(sum, function<fn::Log>, {sum});
  map_into(sum, function<fn::Add>, {sum, most});
  return sum;
}

/// The lattice of a call, on its backend.
struct Lattice {
  Tensor emissions;  // ln q_t(s) [W, B, S], impossible beyond a sequence's last state
  Tensor active;     // [W, B, 1]: 1 while a sequence has frames
  Tensor start;      // [B, S]
  Tensor skip;
  Tensor end;
  Tensor counts;    // [B, 1]
  Tensor forwards;  // ln α_t(s) less its largest [W, B, 2 + S], two impossible columns before

  int64_t frames() const { return emissions.size(0); }
  int64_t states() const { return emissions.size(2); }
};

/// Fills `forwards`; returns −ln p [B, 1].
Tensor run_forwards(Lattice& lattice) {
  const Tensor& emissions = lattice.emissions;
  const int64_t count = lattice.states();
  const Place place = emissions.place();
  lattice.forwards =
      Tensor::full({lattice.frames(), emissions.size(1), count + 2}, impossible, place);
  const Tensor total = Tensor::zeros({emissions.size(1), 1}, place);
  Tensor last = lattice.start;
  for (int64_t t = 0; t < lattice.frames(); ++t) {
    Tensor reached = last;
    if (t > 0) {
      const Tensor before = frame(lattice.forwards, t - 1);
      const Tensor skipped = mapped(function<fn::Add>, {columns(before, 0, count), lattice.skip});
      reached = log_sum(last, columns(before, 1, count), skipped);
    }
    const Tensor here = mapped(function<fn::Add>, {reached, frame(emissions, t)});
    const Tensor most = reduced_rows(Reduction::max, here);
    map_into(here, function<fn::Subtract>, {here, most});
    const Tensor active = frame(lattice.active, t);
    map_into(total, function<fn::MultiplyAdd>, {active, most, total});
    const Tensor kept = columns(frame(lattice.forwards, t), 2, count);
    map_into(kept, function<fn::Select>, {active, here, last});
    last = kept;
  }
  const Tensor ends = mapped(function<fn::Add>, {last, lattice.end});
  const Tensor most = reduced_rows(Reduction::max, ends);
  map_into(ends, function<fn::Subtract>, {ends, most});
  map_into(ends, function<fn::Exp>, {ends});
  const Tensor sum = reduced_rows(Reduction::sum, ends);
  map_into(sum, function<fn::Log>, {sum});
  map_into(total, function<fn::Add>, {total, most});
  map_into(total, function<fn::Add>, {total, sum});
  return mapped(function<fn::Affine>, {total}, {.a = -1});
}

/// ln β_t(s) less its largest [W, B, S + 2], two impossible columns behind.
Tensor run_backwards(const Lattice& lattice) {
  const int64_t count = lattice.states();
  const Place place = lattice.emissions.place();
  const int64_t sequences = lattice.emissions.size(1);
  Tensor all = Tensor::full({lattice.frames(), sequences, count + 2}, impossible, place);
  const Tensor leading = Tensor::full({sequences, count + 2}, impossible, place);
  for (int64_t t = lattice.frames() - 1; t >= 0; --t) {
    const Tensor kept = columns(frame(all, t), 0, count);
    if (t + 1 == lattice.frames()) {
      map_into(kept, function<fn::Affine>, {lattice.end}, {.a = 1});
      continue;
    }
    const Tensor next = columns(leading, 0, count);  // q_{t+1} β_{t+1}
    map_into(next, function<fn::Add>,
             {columns(frame(all, t + 1), 0, count), frame(lattice.emissions, t + 1)});
    const Tensor skipped = Tensor::full({sequences, count + 2}, impossible, place);
    map_into(columns(skipped, 0, count), function<fn::Add>, {next, lattice.skip});
    const Tensor here = log_sum(next, columns(leading, 1, count), columns(skipped, 2, count));
    map_into(here, function<fn::Subtract>, {here, reduced_rows(Reduction::max, here)});
    map_into(kept, function<fn::Select>, {frame(lattice.active, t + 1), here, lattice.end});
  }
  return all;
}

/// −γ_t(s) dloss [W, B, S].
Tensor emission_gradient(const Lattice& lattice, const Tensor& dlosses) {
  const int64_t count = lattice.states();
  Tensor share = mapped(function<fn::Add>, {columns(lattice.forwards, 2, count),
                                            columns(run_backwards(lattice), 0, count)});
  map_into(share, function<fn::Subtract>, {share, reduced_rows(Reduction::max, share)});
  map_into(share, function<fn::Exp>, {share});
  map_into(share, function<fn::Divide>, {share, reduced_rows(Reduction::sum, share)});
  const Tensor weight = mapped(function<fn::Multiply>, {dlosses, lattice.counts});
  map_into(weight, function<fn::Affine>, {weight}, {.a = -1});
  map_into(share, function<fn::Multiply>, {share, lattice.active});
  map_into(share, function<fn::Multiply>, {share, shaped(weight, {1, weight.size(0), 1})});
  return share;
}

/// From ln q [W, B, S], 0 where there is no state.
Tensor path_loss(const Tensor& emissions, const States& states, const Layout& frames) {
  const Place place = emissions.place();
  const Shape shape = {emissions.size(1), states.count};
  const auto lattice = std::make_shared<Lattice>();
  std::vector<float> active;
  for (int64_t t = 0; t < frames.width(); ++t) {
    for (const int32_t length : frames.lengths()) {
      active.push_back(t < length ? 1 : 0);
    }
  }
  std::vector<float> closed;
  for (const int32_t symbol : states.symbol) {
    closed.push_back(symbol < 0 ? impossible : 0);
  }
  lattice->emissions = mapped(function<fn::Add>, {emissions, Tensor::of(closed, shape, place)});
  lattice->active = Tensor::of(active, {frames.width(), shape[0], 1}, place);
  lattice->start = Tensor::of(states.start, shape, place);
  lattice->skip = Tensor::of(states.skip, shape, place);
  lattice->end = Tensor::of(states.end, shape, place);
  lattice->counts = Tensor::of(states.counts, {shape[0], 1}, place);
  const Tensor losses = run_forwards(*lattice);
  // Not a product: a skipped sequence's loss is beyond all numbers.
  map_into(losses, function<fn::SelectOr>, {lattice->counts, losses});
  return record(shaped(losses, {shape[0]}), {emissions}, [lattice](Gradients& g) {
    const Tensor dlosses = shaped(g.of(0), lattice->counts.shape()).dense();
    g.add(0, emission_gradient(*lattice, dlosses));
  });
}

}  // namespace

Tensor ctc_loss(const Tensor& logits, const Layout& frames, const CtcLabels& labels,
                const CtcOptions& options) {
  if (logits.dtype() == DType::bf16) {
    return ctc_loss(widened(logits), frames, labels, options);
  }
  require(logits.rank() == 2 && logits.size(0) == frames.rows(),
          "ctc: saw logits {} and {} frames, needs [N, V] with a row for each", logits.shape(),
          frames.rows());
  const auto& lengths = labels.lengths;
  require(frames.count() == static_cast<int64_t>(lengths.size()),
          "ctc: saw {} sequences of frames and {} of labels, needs as many", frames.count(),
          lengths.size());
  const auto count = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  require(static_cast<int64_t>(labels.labels.size()) == count,
          "ctc: saw {} labels, needs {}, as many as their sequences have", labels.labels.size(),
          count);
  const int64_t classes = logits.size(1);
  require(options.blank >= 0 && options.blank < classes,
          "ctc: saw the blank {}, needs one of the {} classes", options.blank, classes);
  require(logits.numel() < std::numeric_limits<int32_t>::max(),
          "ctc: saw {} logits, needs fewer than 2³¹; use smaller batches", logits.numel());
  if (frames.count() == 0) {
    return Tensor::zeros({0}, logits.place());
  }
  const States states = states_of(labels, frames, classes, options);
  if (frames.width() == 0) {
    return Tensor::zeros({frames.count()}, logits.place());
  }
  const std::vector<int32_t> index = emission_index(states, frames, classes);
  const auto cells = static_cast<int64_t>(index.size());
  const Tensor place = Tensor::of(index, {cells}, logits.place().with(DType::i32));
  const Tensor logs = reshape(log_softmax(logits), {logits.numel(), 1});
  const Tensor emissions =
      reshape(gather_rows(logs, place), {frames.width(), frames.count(), states.count});
  return path_loss(emissions, states, frames);
}

}  // namespace heed
