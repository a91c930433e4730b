#include "heed/engine/answer/answer.h"

#include <algorithm>
#include <cmath>

#include "heed/attention/chosen_weights.h"
#include "heed/engine/answer/align_by_steps.h"
#include "heed/engine/answer/request_allowance.h"
#include "heed/engine/answer/scoring.h"
#include "heed/engine/answer/source_slots.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// The number of tokens that are shown: all, or all but the end of sentence.
size_t kept(const std::vector<std::string>& tokens, bool has_end, bool with_ends) {
  return tokens.size() - (has_end && !with_ends ? 1 : 0);
}

/// A pair is aligned as a whole, so the time it takes grows with the number of its words, multiplied.
void check_weights(int64_t source, int64_t target) {
  constexpr auto most = static_cast<int64_t>(16 * most_weights);
  if (source > most / std::max<int64_t>(target, 1)) {
    fail(Fault::file,
         "align: a source of {} and a target of {} tokens make more than {} weights; align "
         "sentence by sentence",
         source, target, most);
  }
}

/// All weights of a pair, from one pass.
void align_at_once(const TrainedModel& trained, const Batch& batch, const AlignOptions& options,
                   Translation& out) {
  Pass pass = Pass::serving();
  const Decoded decoded = trained.model->teach(batch, {.weights = true}, pass);
  for (const double log_p :
       target_log_probabilities(decoded, batch, trained.model->decoder().specials())) {
    out.log_probability += log_p;
  }
  const Tensor weights = chosen_weights(decoded.reports, options.block, options.head);
  if (!weights.defined()) {
    fail(Fault::usage, "align: the model's decoder has no attention; use another model");
  }
  const auto values = weights.values<float>();
  const auto width = static_cast<size_t>(weights.size(1));
  require(width == out.source.size() && weights.size(0) >= static_cast<int64_t>(out.target.size()),
          "align: saw weights {}, needs {} rows for words and {} columns for slots",
          weights.shape(), out.target.size(), out.source.size());
  for (size_t row = 0; row < out.target.size(); ++row) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * width);
    out.weights.emplace_back(first, first + static_cast<std::ptrdiff_t>(out.source.size()));
  }
}

}  // namespace

Translation align(const TrainedModel& trained, const std::string& source, const std::string& target,
                  const AlignOptions& options) {
  const NoGrad no_grad;
  RequestAllowance allowance(trained);
  const UseAllowance use(allowance);
  const Fields& fields = trained.fields;
  const Item read = fields.source->read(source);
  const BatchItems items{
      fields, {fields.source->prepared(read, std::nullopt)}, {fields.target->read(target)}};
  Translation out;
  out.text = target;
  if (read.empty() || items.target[0].empty()) {
    return out;
  }
  check_weights(fields.source->rows(read), fields.target->rows(items.target[0]));
  const Batch batch = make_batch(items, trained.model->place());
  SourceSlots slots = source_slots(trained, source, read);
  out.source = std::move(slots.labels);
  out.grid = slots.grid;
  out.seconds = std::move(slots.seconds);
  out.source_ends = fields.source->has_tokens();
  out.target = fields.target->labels(target, items.target[0]);
  out.ended = true;
  const Decoder& decoder = trained.model->decoder();
  const bool is_long = out.source.size() > most_weights / out.target.size();
  if (is_long && decoder.aligns() && dynamic_cast<const Autoregressive*>(&decoder) != nullptr) {
    align_by_steps(trained, batch, options, out);
  } else {
    align_at_once(trained, batch, options, out);
  }
  out.score = out.log_probability / static_cast<double>(batch.target_tokens());
  return out;
}

HeatMap heat_map(const Translation& translation, bool with_ends) {
  const size_t rows =
      std::min(kept(translation.target, translation.ended, with_ends), translation.weights.size());
  const size_t columns = kept(translation.source, translation.source_ends, with_ends);
  HeatMap map;
  map.rows.assign(translation.target.begin(),
                  translation.target.begin() + static_cast<std::ptrdiff_t>(rows));
  map.columns.assign(translation.source.begin(),
                     translation.source.begin() + static_cast<std::ptrdiff_t>(columns));
  for (size_t i = 0; i < rows; ++i) {
    const auto& row = translation.weights[i];
    map.weights.insert(map.weights.end(), row.begin(),
                       row.begin() + static_cast<std::ptrdiff_t>(columns));
  }
  return map;
}

HeatMap drawn_map(const Translation& translation, bool with_ends) {
  Translation shown = translation;
  if (shown.source_ends && !shown.source.empty()) {
    shown.source.back() = "⏎";
  }
  if (shown.ended && !shown.target.empty()) {
    shown.target.back() = "⏎";
  }
  shown.source_ends = false;  // so that its column stays
  return heat_map(shown, with_ends);
}

std::vector<std::pair<size_t, size_t>> links(const Translation& translation, bool with_ends) {
  std::vector<std::pair<size_t, size_t>> all;  // source, target
  const size_t columns = kept(translation.source, translation.source_ends, with_ends);
  if (translation.word_links) {
    const size_t words = kept(translation.target, translation.ended, with_ends);
    for (const auto& [source, target] : translation.word_links->pairs) {
      if (source < columns && target < words) {
        all.emplace_back(source, target);
      }
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  const size_t rows =
      std::min(kept(translation.target, translation.ended, with_ends), translation.weights.size());
  for (size_t t = 0; t < rows; ++t) {
    const auto& row = translation.weights[t];
    const auto most = std::max_element(row.begin(), row.end());
    const auto source = static_cast<size_t>(most - row.begin());
    if (source<columns&& * most> 0) {
      all.emplace_back(source, t);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::pair<size_t, size_t>> links_above(const Translation& translation, double threshold,
                                                   bool with_ends) {
  std::vector<std::pair<size_t, size_t>> all;  // source, target
  const size_t columns = kept(translation.source, translation.source_ends, with_ends);
  const size_t rows =
      std::min(kept(translation.target, translation.ended, with_ends), translation.weights.size());
  for (size_t s = 0; s < columns; ++s) {
    for (size_t t = 0; t < rows; ++t) {
      if (translation.weights[t][s] >= threshold) {
        all.emplace_back(s, t);
      }
    }
  }
  return all;
}

std::string pharaoh(const std::vector<std::pair<size_t, size_t>>& pairs) {
  std::string text;
  for (const auto& [source, target] : pairs) {
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", source, target);
  }
  return text;
}

std::string hard_alignment(const Translation& translation, bool with_ends) {
  return pharaoh(links(translation, with_ends));
}

std::string soft_alignment(const Translation& translation) {
  std::string text;
  for (const auto& row : translation.weights) {
    text += text.empty() ? "" : " ";
    for (size_t j = 0; j < row.size(); ++j) {
      text += fmt::format("{}{:.6g}", j == 0 ? "" : ",", row[j]);
    }
  }
  return text;
}

}  // namespace heed
