#include "heed/engine/answer/attention_maps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/attention/attend_within.h"
#include "heed/data/batch.h"
#include "heed/data/token_items.h"
#include "heed/engine/answer/source_slots.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// [T, H, S'] → [T, S] for each head; slots behind the memory's length are dropped.
AttentionMaps::Block block_of(const Tensor& weights, size_t rows, size_t columns) {
  const auto heads = static_cast<size_t>(weights.size(1));
  const auto slots = static_cast<size_t>(weights.size(2));
  require(static_cast<size_t>(weights.size(0)) == rows && slots >= columns,
          "attention: saw weights of {} rows and {} slots for {} and {} tokens", weights.size(0),
          slots, rows, columns);
  const auto values = weights.values<float>();
  AttentionMaps::Block block;
  for (size_t head = 0; head < heads; ++head) {
    std::vector<float>& map = block.heads.emplace_back();
    for (size_t row = 0; row < rows; ++row) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>((row * heads + head) * slots);
      map.insert(map.end(), first, first + static_cast<std::ptrdiff_t>(columns));
    }
  }
  return block;
}

/// A pair is looked at as a whole, in all blocks and heads.
void check_size(size_t rows, size_t columns) {
  constexpr size_t most = size_t{1} << 20;
  if (rows > most / std::max<size_t>(columns, 1)) {
    fail(Fault::usage,
         "attention: {} tokens that look at {} make more than {} weights a head; give a shorter "
         "text",
         rows, columns, most);
  }
}

/// What was seen in one pass.
struct Weighed {
  std::vector<Tensor> encoder;
  std::vector<Tensor> self;
  std::vector<Tensor> cross;
};

Weighed look(const TrainedModel& trained, const BatchItems& items, AttentionOf of) {
  const NoGrad no_grad;
  const Batch batch = make_batch(items, trained.model->place());
  Pass pass = Pass::serving();
  Weighed seen;
  Encoded encoded;
  {
    const SelfWeights watch(pass);
    encoded = trained.model->encode(batch.source, pass);
    seen.encoder = watch.blocks();
  }
  if (of == AttentionOf::encoder) {
    return seen;
  }
  const SelfWeights watch(pass);
  const Decoded decoded = Model::teach(trained.model->decoder(), encoded, batch,
                                       {{.weights = of == AttentionOf::cross}}, pass);
  seen.self = watch.blocks();
  for (const Attended& report : decoded.reports) {
    seen.cross.push_back(report.weights);
  }
  return seen;
}

/// What a decoder is fed: the start and every word but the last.
std::vector<std::string> fed(const std::vector<std::string>& target, const Vocabulary& words_of) {
  std::vector<std::string> words = {words_of.token(words_of.specials().start())};
  words.insert(words.end(), target.begin(), target.end() - 1);
  return words;
}

void check_there_is(const std::vector<Tensor>& blocks, const TrainedModel& trained,
                    AttentionOf of) {
  if (!blocks.empty()) {
    return;
  }
  const bool is_encoder = of == AttentionOf::encoder;
  fail(Fault::usage,
       "attention: the {} {} has no {}-attention; use another model or another `attention`",
       is_encoder ? "encoder" : "decoder",
       is_encoder ? trained.model->encoder().kind() : trained.model->decoder().kind(),
       of == AttentionOf::cross ? "cross" : "self");
}

/// A target of these words, without the end.
ReadSource target_of(std::span<const TokenId> ids, const Vocabulary& words_of) {
  if (!ids.empty() && ids.back() == words_of.specials().end()) {
    ids = ids.first(ids.size() - 1);
  }
  ReadSource written;
  for (const TokenId id : ids) {
    if (id < 0 || static_cast<size_t>(id) >= words_of.size() || id == words_of.specials().end()) {
      fail(Fault::usage, "attention: the target has the word {}; choose 0 to {}, and no end", id,
           words_of.size() - 1);
    }
    written.tokens.push_back(words_of.token(id));
  }
  written.item = item_of(ids);
  return written;
}

AttentionMaps maps_of(const TrainedModel& trained, const Source& source, const ReadSource& written,
                      AttentionOf of) {
  const Fields& fields = trained.fields;
  const ReadSource read = fields.source->reading(source);
  const BatchItems items{
      fields, {fields.source->prepared(read.item, std::nullopt)}, {written.item}};
  SourceSlots slots = source_slots(trained, read);
  AttentionMaps out;
  out.of = of;
  out.columns = std::move(slots.labels);
  out.grid = of == AttentionOf::self ? GridExtent() : slots.grid;
  out.rows = fields.target->labels(written);
  if (of == AttentionOf::encoder) {
    out.rows = out.columns;
  } else if (of == AttentionOf::self) {
    if (as<Autoregressive>(trained.model->decoder()) == nullptr) {
      fail(Fault::usage,
           "attention: the decoder {} is not fed its own words; use `attention` encoder",
           trained.model->decoder().kind());
    }
    out.columns = fed(out.rows, fields.target->vocabulary());
  }
  const bool source_ends = fields.source->has_tokens();
  out.rows_end = !out.rows.empty() && (of != AttentionOf::encoder || source_ends);
  out.columns_end = !out.columns.empty() && of != AttentionOf::self && source_ends;
  out.columns_begin = of == AttentionOf::self;
  check_size(out.rows.size(), out.columns.size());
  const Weighed seen = look(trained, items, of);
  const std::vector<Tensor>& blocks = of == AttentionOf::encoder ? seen.encoder
                                      : of == AttentionOf::self  ? seen.self
                                                                 : seen.cross;
  check_there_is(blocks, trained, of);
  for (const Tensor& weights : blocks) {
    out.blocks.push_back(block_of(weights, out.rows.size(), out.columns.size()));
  }
  return out;
}

}  // namespace

const char* name_of(AttentionOf of) {
  return of == AttentionOf::cross ? "cross" : of == AttentionOf::self ? "self" : "encoder";
}

AttentionMaps attention_maps(const TrainedModel& trained, const Source& source,
                             const std::string& target, AttentionOf of) {
  return maps_of(trained, source, trained.fields.target->reading(target), of);
}

AttentionMaps attention_maps(const TrainedModel& trained, const Source& source,
                             std::span<const TokenId> target, AttentionOf of) {
  return maps_of(trained, source, target_of(target, trained.fields.target->vocabulary()), of);
}

void check_attends(const TrainedModel& trained, const WhichMaps& which) {
  const Field& source = *trained.fields.source;
  if (source.has_tokens() || source.is_none()) {
    attention_maps(trained, std::string("a"), "a", which.of).map(which.block, which.head);
  }
}

HeatMap AttentionMaps::map(int64_t block, int64_t head) const {
  const auto count = static_cast<int64_t>(blocks.size());
  if (block < -1 || block >= count) {
    fail(Fault::usage, "`block`: there is no block {}; choose 0 to {}, or -1 for the mean of all",
         block, count - 1);
  }
  HeatMap out;
  out.rows = rows;
  out.columns = columns;
  if (rows_end) {
    out.rows.back() = "⏎";
  }
  if (columns_end) {
    out.columns.back() = "⏎";
  }
  if (columns_begin) {
    out.columns.front() = "▷";
  }
  out.row_axis = of == AttentionOf::encoder ? "source" : "target";
  out.column_axis = of == AttentionOf::self ? "target" : "source";
  std::vector<double> sum(rows.size() * columns.size(), 0);
  double maps = 0;
  for (int64_t b = std::max<int64_t>(block, 0); b < (block < 0 ? count : block + 1); ++b) {
    const auto& heads = blocks[static_cast<size_t>(b)].heads;
    const auto last = static_cast<int64_t>(heads.size()) - 1;
    if (head < -1 || head > last) {
      fail(Fault::usage, "`head`: there is no head {}; choose 0 to {}, or -1 for the mean of all",
           head, last);
    }
    for (int64_t h = std::max<int64_t>(head, 0); h <= (head < 0 ? last : head); ++h, ++maps) {
      const std::vector<float>& one = heads[static_cast<size_t>(h)];
      std::transform(sum.begin(), sum.end(), one.begin(), sum.begin(), std::plus<>());
    }
  }
  for (const double total : sum) {
    out.weights.push_back(static_cast<float>(total / maps));
  }
  return out;
}

Panels AttentionMaps::panels(int64_t block) const {
  Panels out;
  out.columns = 1;
  const auto count = static_cast<int64_t>(blocks.size());
  for (int64_t b = std::max<int64_t>(block, 0); b < (block < 0 ? count : block + 1); ++b) {
    map(b, -1);  // refuses a block that there is not
    const size_t heads = blocks[static_cast<size_t>(b)].heads.size();
    out.columns = std::max(out.columns, heads);
    out.begin_row.push_back(out.maps.size());
    for (size_t h = 0; h < heads; ++h) {
      out.maps.push_back(map(b, static_cast<int64_t>(h)));
      out.maps.back().title = fmt::format("block {}, head {}", b, h);
    }
  }
  return out;
}

double entropy(std::span<const float> weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0,
                         [](double sum, double p) { return p > 0 ? sum - p * std::log(p) : sum; });
}

std::vector<size_t> strongest(std::span<const float> weights, size_t k) {
  std::vector<size_t> places(weights.size());
  std::iota(places.begin(), places.end(), size_t{0});
  const auto end = places.begin() + static_cast<std::ptrdiff_t>(std::min(k, places.size()));
  std::partial_sort(places.begin(), end, places.end(), [&](size_t a, size_t b) {
    return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
  });
  places.erase(end, places.end());
  places.erase(std::find_if(places.begin(), places.end(),
                            [&](size_t place) { return !(weights[place] > 0); }),
               places.end());
  return places;
}

}  // namespace heed
