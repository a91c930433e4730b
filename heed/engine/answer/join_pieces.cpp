#include "heed/engine/answer/join_pieces.h"

#include <algorithm>

namespace heed {
namespace {

void append_links(Translation& out, const Translation& more) {
  if (!more.word_links) {
    return;
  }
  const WordLinks& words = *more.word_links;
  WordLinks& all = out.word_links ? *out.word_links : out.word_links.emplace();
  const bool drops_target = out.ended && !all.target.empty();
  const bool drops_source = out.source_ends && !all.source.empty();
  const size_t targets = all.target.size() - (drops_target ? 1 : 0);
  const size_t sources = all.source.size() - (drops_source ? 1 : 0);
  const size_t end = sources + words.source.size() - 1;  // of all sources from now on
  std::vector<std::pair<size_t, size_t>> pairs;
  for (const auto& [source, target] : all.pairs) {
    if (target < targets && (source < sources || more.source_ends)) {
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

/// The rows get columns for what follows. What they gave to the end of their own source is in the last of these.
void widen(std::vector<std::vector<float>>& rows, size_t before, const Translation& more) {
  for (auto& row : rows) {
    const float to_end = row.size() > before && more.source_ends ? row[before] : 0;
    row.resize(before);
    row.resize(before + more.source.size(), 0);
    if (to_end != 0) {
      row.back() = to_end;
    }
  }
}

}  // namespace

void append(Translation& out, const Translation& more) {
  append_links(out, more);
  if (out.ended) {
    out.target.pop_back();
    out.ids.pop_back();
    out.weights.resize(std::min(out.weights.size(), out.target.size()));
    out.times.resize(std::min(out.times.size(), out.target.size()));
  }
  if (out.source_ends) {
    out.source.pop_back();
  }
  out.parts.push_back(out.target.size());
  if (!out.seconds.empty()) {
    out.seconds.pop_back();  // where one part ends the next begins
  }
  out.seconds.insert(out.seconds.end(), more.seconds.begin(), more.seconds.end());
  out.times.insert(out.times.end(), more.times.begin(), more.times.end());
  const size_t before = out.source.size();
  widen(out.weights, before, more);
  for (const auto& row : more.weights) {
    std::vector<float> shifted(before, 0);
    shifted.insert(shifted.end(), row.begin(), row.end());
    out.weights.push_back(std::move(shifted));
  }
  out.source.insert(out.source.end(), more.source.begin(), more.source.end());
  out.target.insert(out.target.end(), more.target.begin(), more.target.end());
  out.ids.insert(out.ids.end(), more.ids.begin(), more.ids.end());
  out.source_ends = more.source_ends;
  out.ended = more.ended;
  out.score += more.score;
  out.log_probability += more.log_probability;
  if (more.weighted_sum) {
    out.weighted_sum = out.weighted_sum.value_or(0) + *more.weighted_sum;
  }
  out.each_log_probability.insert(out.each_log_probability.end(), more.each_log_probability.begin(),
                                  more.each_log_probability.end());
}

}  // namespace heed
