#include "heed/engine/answer/join_pieces.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/engine/answer/answer_kinds.h"
#include "heed/engine/answer/request.h"
#include "heed/text/sentences.h"

namespace heed {
namespace {

void append_links(Seen& out, const Seen& more) {
  if (!more.links) {
    return;
  }
  const WordLinks& words = *more.links;
  WordLinks& all = out.links ? *out.links : out.links.emplace();
  const bool drops_target = out.rows_end && !all.target.empty();
  const bool drops_source = out.columns_end && !all.source.empty();
  const size_t targets = all.target.size() - (drops_target ? 1 : 0);
  const size_t sources = all.source.size() - (drops_source ? 1 : 0);
  const size_t end = sources + words.source.size() - 1;  // of all sources from now on
  std::vector<std::pair<size_t, size_t>> pairs;
  for (const auto& [source, target] : all.pairs) {
    if (target < targets && (source < sources || more.columns_end)) {
      pairs.emplace_back(source < sources ? source : end, target);
    }
  }
  for (const auto& [source, target] : words.pairs) {
    pairs.emplace_back(sources + source, targets + target);
  }
  all.pairs = std::move(pairs);
  all.source.resize(sources);
  all.target.resize(targets);
  all.source.insert(all.source.end(), words.source.begin(), words.source.end());
  all.target.insert(all.target.end(), words.target.begin(), words.target.end());
}

/// The rows of both, over `before` columns of the first and those of the second. What a row of the
/// first gave to the end of its own source is in the last of these.
WeightMatrix joined(const WeightMatrix& rows, size_t before, const Seen& more) {
  WeightMatrix all;
  std::vector<float> wide(before + more.columns.size());
  for (size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    std::fill(wide.begin(), wide.end(), 0.0F);
    std::copy(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(before), wide.begin());
    if (row.size() > before && more.columns_end) {
      wide.back() = row[before];
    }
    all.add(wide);
  }
  for (size_t i = 0; i < more.weights.rows(); ++i) {
    const auto row = more.weights.row(i);
    std::fill(wide.begin(), wide.end(), 0.0F);
    std::copy(row.begin(), row.end(), wide.begin() + static_cast<std::ptrdiff_t>(before));
    all.add(wide);
  }
  return all;
}

void append(Seen& out, const Seen& more) {
  append_links(out, more);
  if (out.rows_end) {
    out.rows.pop_back();
    out.weights.keep_rows(out.rows.size());
    out.times.resize(std::min(out.times.size(), out.rows.size()));
  }
  if (out.columns_end) {
    out.columns.pop_back();
  }
  out.parts.push_back(out.rows.size());
  if (!out.seconds.empty()) {
    out.seconds.pop_back();  // where one part ends the next begins
  }
  out.seconds.insert(out.seconds.end(), more.seconds.begin(), more.seconds.end());
  out.times.insert(out.times.end(), more.times.begin(), more.times.end());
  out.weights = joined(out.weights, out.columns.size(), more);
  out.columns.insert(out.columns.end(), more.columns.begin(), more.columns.end());
  out.rows.insert(out.rows.end(), more.rows.begin(), more.rows.end());
  out.ends_with_sound = out.ends_with_sound || more.ends_with_sound;
  out.columns_end = more.columns_end;
  out.rows_end = more.rows_end;
}

}  // namespace

void append(Reply& out, const Reply& more) {
  if (more.seen) {
    append(out.seen ? *out.seen : out.seen.emplace(), *more.seen);
  }
  if (out.ended) {
    out.ids.pop_back();
  }
  out.ids.insert(out.ids.end(), more.ids.begin(), more.ids.end());
  out.ended = more.ended;
  out.score += more.score;
  out.log_probability += more.log_probability;
  if (more.weighted_sum) {
    out.weighted_sum = out.weighted_sum.value_or(0) + *more.weighted_sum;
  }
  out.each_log_probability.insert(out.each_log_probability.end(), more.each_log_probability.begin(),
                                  more.each_log_probability.end());
}

namespace {

/// Whether all weights of the parts of a recording would be too large a matrix.
bool is_too_long_to_draw(std::span<const Piece> pieces) {
  size_t slots = 0;
  size_t tokens = 0;
  for (const Piece& piece : pieces) {
    const Seen& seen = piece.found.front().looked();
    slots += seen.columns.size();
    tokens += seen.rows.size();
  }
  return !pieces.front().found.front().looked().seconds.empty() &&
         slots > most_weights / std::max<size_t>(tokens, 1);
}

/// The n-th reply to a paragraph joins the n-th of each sentence, or the last if a sentence
/// has fewer.
std::vector<Reply> joined(std::span<const Piece> pieces) {
  if (pieces.size() == 1) {
    return pieces.front().found;
  }
  size_t most = 1;
  for (const Piece& piece : pieces) {
    most = std::max(most, piece.found.size());
  }
  std::vector<Sentence> sentences;
  for (const Piece& piece : pieces) {
    sentences.push_back({piece.part.source.text(), piece.part.gap});
  }
  const bool is_long = is_too_long_to_draw(pieces);
  std::vector<Reply> out;
  for (size_t n = 0; n < most; ++n) {
    Reply whole;
    std::vector<std::string> texts;
    for (const Piece& piece : pieces) {
      Reply one = piece.found[std::min(n, piece.found.size() - 1)];
      if (is_long) {
        one.seen->weights = {};  // times are kept
      }
      append(whole, one);
      texts.push_back(one.text);
    }
    whole.text = join_sentences(sentences, texts);
    out.push_back(std::move(whole));
  }
  return out;
}

/// What is said of a source that is unlike those that the model learned from, once.
std::optional<std::string> unlike(std::span<const Piece> pieces, const Field& source,
                                  const AnswerOptions& options) {
  const auto is_unlike = [](const Piece& piece) { return !piece.unlike.empty(); };
  const auto first = std::find_if(pieces.begin(), pieces.end(), is_unlike);
  if (first == pieces.end()) {
    return std::nullopt;
  }
  return fmt::format("{} {}: {}", answer_kind(source_kind(source)).unit,
                     options.first_line + static_cast<int64_t>(first->number), first->unlike);
}

}  // namespace

Replies put_together(std::span<const Piece> pieces, const TrainedModel& trained,
                     const AnswerOptions& options) {
  Replies out{joined(pieces), {}};
  const bool is_labelled = as<Labelling>(trained.model->decoder()) != nullptr;
  if (is_labelled && pieces.size() > 1) {  // blanks between parts are no labels
    out.best.front().text = trained.fields.target->vocabulary().decode(out.front().ids);
  }
  for (const Piece& piece : pieces) {
    out.warnings.insert(out.warnings.end(), piece.warnings.begin(), piece.warnings.end());
  }
  if (auto warning = unlike(pieces, *trained.fields.source, options)) {
    out.warnings.push_back(std::move(*warning));
  }
  const bool is_short = static_cast<int64_t>(out.best.size()) < options.search.n_best;
  if (wants_distinct_texts(options.search) && is_short && !out.front().ids.empty()) {
    out.warnings.push_back(fmt::format(
        "line {}: there are {} of the {} texts that were asked for; the groups found no others",
        options.first_line + static_cast<int64_t>(pieces.front().number), out.best.size(),
        options.search.n_best));
  }
  return out;
}

}  // namespace heed
