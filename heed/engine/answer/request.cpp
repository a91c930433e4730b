#include "heed/engine/answer/request.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/search/strategies.h"

namespace heed {
namespace {

AnswerOptions within(AnswerOptions options, const Longest& longest) {
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

/// A picture has many cells but no words that could bound its caption, so it counts as ten words:
/// by default a caption has 3 · 10 + 20 words at most. A limit that is asked for replaces that.
void bound_captions(SearchOptions& search) {
  constexpr double words_of_picture = 10;
  const bool is_asked_for = search.max_length != SearchOptions().max_length;
  search.max_length_margin =
      is_asked_for ? search.max_length
                   : search.max_length_margin +
                         static_cast<int64_t>(search.max_length_factor * words_of_picture);
  search.max_length_factor = 0;
}

std::vector<int32_t> known_ids(const Vocabulary& vocabulary, const std::string& text,
                               const char* what) {
  std::vector<int32_t> ids = vocabulary.encode(text);
  const auto unknown = std::find(ids.begin(), ids.end(), vocabulary.specials().unknown());
  if (unknown != ids.end()) {
    const std::vector<std::string> words = vocabulary.split(text);
    const bool is_each_one_id = words.size() == ids.size();
    fail(Fault::usage, "{}: the model does not know \"{}\"; choose other words", what,
         is_each_one_id ? words[static_cast<size_t>(unknown - ids.begin())] : text);
  }
  return ids;
}

}  // namespace

bool are_seen(const AnswerOptions& options) { return options.sees || options.search.weights; }

bool wants_distinct_texts(const SearchOptions& options) {
  return strategies().make(options.strategy)->wants_distinct_texts();
}

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

AnswerOptions bounded_options(TrainedModels models, const AnswerOptions& asked) {
  AnswerOptions bounded = asked;
  if (models.front()->fields.source->row_kind() == RowKind::pixels) {
    bound_captions(bounded.search);
  }
  return within(std::move(bounded), longest_of(models, asked.search));
}

/// The search looks at every required token for every hypothesis at every step.
constexpr size_t most_required = 512;

SentenceOptions sentence_options(const Vocabulary& vocabulary, const AnswerOptions& options) {
  SentenceOptions sentence;
  sentence.prefix = known_ids(vocabulary, options.prefix, "prefix");
  size_t words = 0;
  for (const std::string& phrase : options.phrases) {
    sentence.phrases.push_back(known_ids(vocabulary, phrase, "constrain"));
    if (sentence.phrases.back().empty()) {
      fail(Fault::usage, "constrain: the phrase is empty; give words");
    }
    words += sentence.phrases.back().size();
  }
  if (words > most_required) {
    fail(Fault::usage,
         "constrain: the phrases have {} tokens, but at most {} can be required; give fewer or "
         "shorter ones",
         words, most_required);
  }
  return sentence;
}

}  // namespace heed
