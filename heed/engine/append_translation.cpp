#include "heed/engine/append_translation.h"

#include <algorithm>

namespace heed {
namespace {

void append_links(Translation& out, const Translation& more) {
  if (!more.word_links) {
    return;
  }
  WordLinks& all = out.word_links ? *out.word_links : out.word_links.emplace();
  if (out.ended && !all.target.empty()) {
    all.target.pop_back();
  }
  if (out.source_ends && !all.source.empty()) {
    all.source.pop_back();
  }
  const size_t sources = all.source.size();
  const size_t targets = all.target.size();
  all.pairs.resize(all.last_piece);
  all.pairs.insert(all.pairs.end(), all.without_end.begin(), all.without_end.end());
  all.last_piece = all.pairs.size();
  const auto behind = [sources, targets](std::vector<std::pair<size_t, size_t>> pairs) {
    for (auto& [source, target] : pairs) {
      source += sources;
      target += targets;
    }
    return pairs;
  };
  const auto more_pairs = behind(more.word_links->pairs);
  all.pairs.insert(all.pairs.end(), more_pairs.begin(), more_pairs.end());
  all.without_end = behind(more.word_links->without_end);
  const WordLinks& words = *more.word_links;
  all.source.insert(all.source.end(), words.source.begin(), words.source.end());
  all.target.insert(all.target.end(), words.target.begin(), words.target.end());
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
  for (auto& row : out.weights) {
    row.resize(before);
    row.resize(before + more.source.size(), 0);
  }
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
  out.each_log_probability.insert(out.each_log_probability.end(), more.each_log_probability.begin(),
                                  more.each_log_probability.end());
}

}  // namespace heed
