#include "heed/engine/answer/given_words.h"

#include <algorithm>

namespace heed {
namespace {

std::vector<int32_t> known_ids(const Vocabulary& vocabulary, const std::string& text,
                               const char* what) {
  std::vector<int32_t> ids = vocabulary.encode(text);
  const auto unknown = std::find(ids.begin(), ids.end(), vocabulary.specials().unknown());
  if (unknown != ids.end()) {
    const std::vector<std::string> words = vocabulary.tokeniser().split(text);
    const bool is_each_one_id = words.size() == ids.size();
    fail(Fault::usage, "{}: the model does not know \"{}\"; choose other words", what,
         is_each_one_id ? words[static_cast<size_t>(unknown - ids.begin())] : text);
  }
  return ids;
}

/// The search looks at every required token for every hypothesis at every step.
constexpr size_t most_required = 512;

}  // namespace

SentenceOptions sentence_options(const Vocabulary& vocabulary, const TranslateOptions& options) {
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
