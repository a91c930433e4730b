#include "heed/engine/answer/reply.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {
namespace {

/// The number of tokens that are shown: all, or all but the end of sentence.
size_t kept(const std::vector<std::string>& tokens, bool has_end, bool with_ends) {
  return tokens.size() - (has_end && !with_ends ? 1 : 0);
}

size_t kept_rows(const Seen& seen, bool with_ends) {
  return std::min(kept(seen.rows, seen.rows_end, with_ends), seen.weights.rows());
}

size_t kept_columns(const Seen& seen, bool with_ends) {
  return kept(seen.columns, seen.columns_end, with_ends);
}

}  // namespace

void WeightMatrix::add(std::span<const float> row) {
  columns = values.empty() ? row.size() : columns;
  require(row.size() == columns, "weights: saw a row of {} and rows of {}, needs rows of one width",
          row.size(), columns);
  values.insert(values.end(), row.begin(), row.end());
}

const Seen& Reply::looked() const {
  static const Seen nothing;
  return seen ? *seen : nothing;
}

HeatMap heat_map(const Seen& seen, bool with_ends) {
  const size_t rows = kept_rows(seen, with_ends);
  const size_t columns = kept_columns(seen, with_ends);
  HeatMap map;
  map.rows.assign(seen.rows.begin(), seen.rows.begin() + static_cast<std::ptrdiff_t>(rows));
  map.columns.assign(seen.columns.begin(),
                     seen.columns.begin() + static_cast<std::ptrdiff_t>(columns));
  for (size_t i = 0; i < rows; ++i) {
    const auto row = seen.weights.row(i).first(columns);
    map.weights.insert(map.weights.end(), row.begin(), row.end());
  }
  return map;
}

HeatMap drawn_map(const Seen& seen, bool with_ends) {
  Seen shown = seen;
  if (shown.columns_end && !shown.columns.empty()) {
    shown.columns.back() = "⏎";
  }
  if (shown.rows_end && !shown.rows.empty()) {
    shown.rows.back() = "⏎";
  }
  shown.columns_end = false;  // so that its column stays
  return heat_map(shown, with_ends);
}

std::vector<std::pair<size_t, size_t>> links(const Seen& seen, bool with_ends) {
  std::vector<std::pair<size_t, size_t>> all;  // source, target
  const size_t columns = kept_columns(seen, with_ends);
  if (seen.links) {
    const size_t words = kept(seen.rows, seen.rows_end, with_ends);
    for (const auto& [source, target] : seen.links->pairs) {
      if (source < columns && target < words) {
        all.emplace_back(source, target);
      }
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  for (size_t t = 0; t < kept_rows(seen, with_ends); ++t) {
    const auto row = seen.weights.row(t);
    const auto most = std::max_element(row.begin(), row.end());
    const auto source = static_cast<size_t>(most - row.begin());
    if (source<columns&& * most> 0) {
      all.emplace_back(source, t);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::pair<size_t, size_t>> links_above(const Seen& seen, double threshold,
                                                   bool with_ends) {
  std::vector<std::pair<size_t, size_t>> all;  // source, target
  const size_t rows = kept_rows(seen, with_ends);
  for (size_t s = 0; s < kept_columns(seen, with_ends); ++s) {
    for (size_t t = 0; t < rows; ++t) {
      if (seen.weights.at(t, s) >= threshold) {
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

std::string hard_alignment(const Seen& seen, bool with_ends) {
  return pharaoh(links(seen, with_ends));
}

std::string soft_alignment(const Seen& seen) {
  std::string text;
  for (size_t i = 0; i < seen.weights.rows(); ++i) {
    text += text.empty() ? "" : " ";
    const auto row = seen.weights.row(i);
    for (size_t j = 0; j < row.size(); ++j) {
      text += fmt::format("{}{:.6g}", j == 0 ? "" : ",", row[j]);
    }
  }
  return text;
}

}  // namespace heed
