#include "heed/model/recurrent_decoder.h"

#include <algorithm>

#include "heed/config/limits.h"
#include "heed/nn/drop.h"
#include "heed/nn/sentence_keys.h"
#include "heed/nn/shares_products.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/gather.h"
#include "heed/ops/grid.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "heed/ops/stack.h"
#include "heed/tensor/tape.h"

namespace heed {

void RecurrentDecoder::describe(Describer& d) {
  d.setting("embedding", embedding_width_,
            {.help = "channels of a target word's embedding", .least = 1, .most = most_width});
  d.setting("tied", is_tied_, {"use the embedding as the output layer"});
  d.setting("scaled_embedding", is_scaled_, {"multiply embedded words by √width"});
  d.setting(
      "output_dropout", dropout_,
      {.help = "dropout before the output layer in training", .least = 0, .most = most_dropout});
  cells_.describe(d);
  describe_parts(d);
  if (embedding_) {
    d.built("words", *embedding_);
  }
  d.built("initial", initial_);
  if (output_) {
    d.built("output", *output_);
  }
}

void RecurrentDecoder::build(const DecoderWidths& widths, Init& init) {
  const Widths inner{embedding_width_, cells_.hidden_width(), widths.memory};
  embedding_ = std::make_unique<Embedding>(is_scaled_);
  embedding_->build(widths.vocabulary, embedding_width_, init);
  build_parts(inner, init);
  cells_.build(input_width(inner), init);
  reads_source_ = widths.memory > 0;
  if (reads_source_) {
    initial_.build(widths.memory, cells_.depth() * cells_.hidden_width(), init);
  }
  require(!is_tied_ || output_width(inner) == embedding_width_,
          "decoder: tied joins an output layer of width {} and an embedding of {}, which are "
          "unequal; make them equal or turn it off",
          output_width(inner), embedding_width_);
  if (!is_tied_) {
    output_ = std::make_unique<Linear>();
    output_->build(output_width(inner), widths.vocabulary, init);
  }
}

Remembered RecurrentDecoder::remember(const Encoded& encoded, Pass& /*pass*/) const {
  return {prepare(encoded), encoded.summary, encoded.layout.lengths()};
}

State RecurrentDecoder::begin(std::shared_ptr<const Remembered> memory,
                              std::span<const int32_t> memory_of) const {
  State state(std::move(memory), memory_of, embedding_->table().place());
  Tensor first;  // [Q, depth · H]
  if (reads_source_) {
    first = tanh(initial_(gather_rows(state.memory().summary, state.memory_of())));
  }
  const Tensor zero =
      Tensor::zeros({state.hypotheses(), cells_.hidden_width()}, embedding_->table().place());
  state.carried.resize(cell_tensors() + carried_beside_cells());
  const size_t per_cell = cell_tensors() / static_cast<size_t>(cells_.depth());
  for (size_t i = 0; i < cell_tensors(); ++i) {
    const auto layer = static_cast<int64_t>(i / per_cell);
    const bool is_hidden = reads_source_ && i % per_cell == 0;
    state.carried[i] =
        is_hidden ? slice(first, 1, layer * cells_.hidden_width(), cells_.hidden_width()) : zero;
  }
  return state;
}

Tensor RecurrentDecoder::top(const State& state) const {
  const size_t per_cell = cell_tensors() / static_cast<size_t>(cells_.depth());
  return state.carried[cell_tensors() - per_cell];
}

Tensor RecurrentDecoder::run_cells(State& state, const Tensor& x, Pass& pass) const {
  const auto end = state.carried.begin() + static_cast<std::ptrdiff_t>(cell_tensors());
  std::vector<Tensor> cells(state.carried.begin(), end);
  Tensor out = cells_.step(x, cells, pass);
  std::copy(cells.begin(), cells.end(), state.carried.begin());
  return out;
}

Tensor RecurrentDecoder::words(const Tensor& features, Pass& pass) const {
  const Tensor hidden = drop(before_words(features, pass), dropout_, pass);
  return is_tied_ ? embedding_->logits(hidden, pass) : (*output_)(hidden, pass);
}

Decoded RecurrentDecoder::step(State& state, const Tensor& ids, const Report& report,
                               Pass& pass) const {
  const Geometry geometry = state.across();
  Decoded out;
  out.reports.resize(static_cast<size_t>(reporting_blocks()));
  Attended* reported = out.reports.empty() ? nullptr : out.reports.data();
  const Tensor summary =
      reads_summary() ? gather_rows(state.memory().summary, state.memory_of()) : Tensor();
  const Tensor features = advance(state, (*embedding_)(ids),
                                  {geometry, state.memory(), summary, report, reported}, pass);
  state.advance();
  out.logits = words(features, pass);
  return out;
}

Tensor RecurrentDecoder::fed(const Feed& feed, const Tensor& right, const Tensor& features,
                             Pass& pass) const {
  const std::function<Tensor()> said = [&] {
    const NoGrad no_gradients;
    return words(features.detached(), pass);
  };
  return (*embedding_)(feed({right, embedding_->words(), specials(), said}, pass));
}

Tensor RecurrentDecoder::features_by_slot(const Tensor& /*looked*/, const Remembered& /*memory*/,
                                          const Layout& /*layout*/, Pass& /*pass*/) const {
  fail("decoder: saw {} asked for its words by slot, which depend on where it looked before",
       kind());
}

RecurrentDecoder::Taught RecurrentDecoder::taught_steps(const Remembered& memory,
                                                        const Lesson& lesson, Pass& pass) const {
  const Layout& layout = lesson.layout;
  const Tensor embedded = to_grid((*embedding_)(lesson.ids), layout);  // [B, T, E]
  const Tensor right = lesson.feed == nullptr ? Tensor() : to_grid(lesson.ids, layout);  // [B, T]
  std::vector<int32_t> every(static_cast<size_t>(layout.count()));
  for (size_t b = 0; b < every.size(); ++b) {
    every[b] = static_cast<int32_t>(b);
  }
  State state = begin(std::make_shared<const Remembered>(memory), every);
  Report report = lesson.report;
  report.distribution = report.distribution || lesson.by_slot;
  Taught taught;
  const SharesProducts shares(pass);
  for (int64_t t = 0; t < layout.width(); ++t) {
    begin_position(pass, t, embedding_->table().place());
    const Geometry geometry = state.across();
    Attended reported;
    Tensor looked;
    const bool is_asked = lesson.feed != nullptr && t > 0;
    const Tensor word = is_asked ? fed(*lesson.feed, squeeze(slice(right, 1, t, 1), 1).dense(),
                                       taught.features.back(), pass)
                                 : squeeze(slice(embedded, 1, t, 1), 1);
    taught.features.push_back(advance(
        state, word,
        {geometry, memory, memory.summary, report, &reported, lesson.by_slot ? &looked : nullptr},
        pass));
    if (lesson.by_slot) {
      taught.looked.push_back(looked);
    }
    taught.reports.add(reported);
    state.advance();
  }
  return taught;
}

Decoded RecurrentDecoder::teach(const Remembered& memory, const Lesson& lesson, Pass& pass) const {
  const Layout& layout = lesson.layout;
  const Taught taught = taught_steps(memory, lesson, pass);
  Decoded out;
  if (reporting_blocks() > 0) {
    out.reports.push_back(taught.reports.as_rows(layout));
  }
  out.logits = words(to_rows(stack(taught.features, 1), layout), pass);
  if (lesson.by_slot) {
    const Tensor looked = to_rows(stack(taught.looked, 1), layout);
    out.by_slot = {words(features_by_slot(looked, memory, layout, pass), pass),
                   squeeze(out.reports.front().distribution, 1)};
  }
  return out;
}

}  // namespace heed
