#include "heed/engine/answer/request.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/search/strategies.h"
#include "heed/text/visible.h"

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

/// Adds the named tokens that a text begins with, and removes them from it.
void take_names(const Vocabulary& vocabulary, std::string_view& text,
                std::vector<std::vector<int32_t>>& places) {
  const Vocabulary::NamesBefore found = vocabulary.names_before(text);
  if (found.names.empty()) {
    fail(Fault::usage, "start: \"{}\" begins with no named token of this model; choose another",
         make_visible(text.substr(0, 60)));
  }
  for (const std::string& name : found.names) {
    places.push_back({*vocabulary.id_of_name(name)});
  }
  text.remove_prefix(found.end);
}

/// Leaves of each place where the model may choose the token of the language, <|fr|> for fr.
void choose_language(const Vocabulary& vocabulary, const std::string& language,
                     std::vector<std::vector<int32_t>>& places) {
  bool is_any = false;
  for (auto& some : places) {
    const auto found = std::find_if(some.begin(), some.end(), [&](int32_t id) {
      const std::string& name = vocabulary.token(id);
      return name == language || name == "<|" + language + "|>";
    });
    if (some.size() > 1 && found != some.end()) {
      some = {*found};
      is_any = true;
    }
  }
  if (!is_any) {
    fail(Fault::usage, "language: \"{}\" is none between which this model chooses; choose another",
         make_visible(language.substr(0, 60)));
  }
}

/// "<|en|>/<|fr|><|transcribe|>": named tokens, of which those with / between them are a choice.
std::vector<std::vector<int32_t>> start_of(const Vocabulary& vocabulary,
                                           const SentenceSettings& settings) {
  std::vector<std::vector<int32_t>> places;
  std::string_view text = settings.start;
  while (!text.empty()) {
    const bool is_choice = text.starts_with('/') && !places.empty();
    text.remove_prefix(is_choice ? 1 : 0);
    const auto count = static_cast<std::ptrdiff_t>(places.size());
    take_names(vocabulary, text, places);
    if (is_choice) {
      places[static_cast<size_t>(count - 1)].push_back(places[static_cast<size_t>(count)].front());
      places.erase(places.begin() + count);
    }
  }
  if (!settings.language.empty()) {
    choose_language(vocabulary, settings.language, places);
  }
  return places;
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
  sentence.start = start_of(vocabulary, options.search);
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
