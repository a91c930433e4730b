#include "heed/engine/answer/bounded_options.h"

#include <algorithm>

namespace heed {
namespace {

TranslateOptions within(TranslateOptions options, const Longest& longest) {
  const auto least = [](int64_t asked, int64_t most) {
    return most == std::numeric_limits<int64_t>::max() ? asked
           : asked == 0                                ? most
                                                       : std::min(asked, most);
  };
  const bool has_end = longest.source < std::numeric_limits<int64_t>::max();
  options.max_source = least(options.max_source, longest.source - (has_end ? 1 : 0));
  options.search.max_length = least(options.search.max_length, longest.target);
  return options;
}

/// A picture has many cells but no words that could bound its caption, so it counts as ten words: by
/// default a caption has 3 · 10 + 20 words at most. A limit that is asked for replaces that.
void bound_captions(SearchOptions& search) {
  constexpr double words_of_picture = 10;
  const bool is_asked_for = search.max_length != SearchOptions().max_length;
  search.length_margin =
      is_asked_for
          ? search.max_length
          : search.length_margin + static_cast<int64_t>(search.length_factor * words_of_picture);
  search.length_factor = 0;
}

}  // namespace

Longest longest_of(TrainedModels models, const SearchOptions& options) {
  Longest longest;
  const auto take = [&longest](const Decoder& decoder) {
    longest.source = std::min(longest.source, decoder.longest_source());
    longest.target = std::min(longest.target, decoder.longest_target());
  };
  for (const TrainedModel* one : models) {
    longest.source = std::min(longest.source, one->model->encoder().longest_source());
    take(one->model->decoder());
    if (!options.combine.empty()) {
      for (const Scorer& scorer : scorers_of(*one->model, options.combine)) {
        take(*scorer.decoder);
      }
    }
  }
  return longest;
}

TranslateOptions bounded_options(TrainedModels models, const TranslateOptions& asked) {
  TranslateOptions bounded = asked;
  if (models.front()->fields.source->row_kind() == RowKind::pixels) {
    bound_captions(bounded.search);
  }
  return within(std::move(bounded), longest_of(models, asked.search));
}

}  // namespace heed
