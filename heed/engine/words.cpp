#include "heed/engine/words.h"

#include <algorithm>

#include "heed/text/word_pieces.h"

namespace heed {
namespace {

/// Tokens [first, last) of one word.
struct Span {
  size_t first = 0;
  size_t last = 0;
};

/// What tells words apart; none where a side is not of tokens: every slot is a word then.
const Tokeniser* tokeniser_of(const Field& field) {
  return field.has_tokens() ? &field.vocabulary().tokeniser() : nullptr;
}

std::vector<Span> words_of(const std::vector<std::string>& tokens, const Tokeniser* tokeniser) {
  const auto* parts = dynamic_cast<const WordPieces*>(tokeniser);
  std::vector<Span> words;
  bool was_special = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool is_special = Vocabulary::is_special(tokens[i]);
    if (words.empty() || is_special || was_special || parts == nullptr ||
        parts->begins_word(tokens[i])) {
      words.push_back({i, i});
    }
    words.back().last = i + 1;
    was_special = is_special;
  }
  return words;
}

std::string joined(const std::vector<std::string>& tokens, const Span& word,
                   const Tokeniser* tokeniser) {
  const bool is_special = word.last == word.first + 1 && Vocabulary::is_special(tokens[word.first]);
  if (tokeniser == nullptr || is_special) {
    return tokens[word.first];
  }
  return tokeniser->join(std::span(tokens).subspan(word.first, word.last - word.first));
}

}  // namespace

Translation in_words(const Translation& translation, const TrainedModel& trained) {
  const Tokeniser* reads = tokeniser_of(*trained.fields.source);
  const Tokeniser* writes = tokeniser_of(*trained.fields.target);
  const std::vector<Span> source = words_of(translation.source, reads);
  const std::vector<Span> target = words_of(translation.target, writes);
  Translation out = translation;
  out.source.clear();
  out.target.clear();
  out.weights.clear();
  for (const Span& s : source) {
    out.source.push_back(joined(translation.source, s, reads));
  }
  for (const Span& t : target) {
    out.target.push_back(joined(translation.target, t, writes));
    if (translation.weights.empty()) {
      continue;
    }
    std::vector<float> row;
    for (const Span& s : source) {
      double total = 0;
      for (size_t i = t.first; i < t.last; ++i) {
        for (size_t j = s.first; j < s.last; ++j) {
          total += translation.weights[i][j];
        }
      }
      row.push_back(static_cast<float>(total / static_cast<double>(t.last - t.first)));
    }
    out.weights.push_back(std::move(row));
  }
  return out;
}

std::string text_without_unknowns(const Translation& translation, const TrainedModel& trained) {
  const std::string& unknown = trained.fields.target->vocabulary().token(Vocabulary::unknown);
  const Tokeniser* reads = tokeniser_of(*trained.fields.source);
  const Tokeniser* writes = tokeniser_of(*trained.fields.target);
  const std::vector<Span> source = words_of(translation.source, reads);
  std::vector<std::string> tokens;
  for (size_t i = 0; i < translation.target.size(); ++i) {
    const std::string& token = translation.target[i];
    if (token != unknown || i >= translation.weights.size()) {
      if (token != trained.fields.target->vocabulary().token(Vocabulary::end)) {
        tokens.push_back(token);
      }
      continue;
    }
    const auto& row = translation.weights[i];
    const auto slots = row.end() - (translation.source.back() == "</s>" ? 1 : 0);
    const auto looked = static_cast<size_t>(std::max_element(row.begin(), slots) - row.begin());
    const auto word = std::find_if(source.begin(), source.end(),
                                   [looked](const Span& s) { return looked < s.last; });
    for (std::string& part : writes->split(joined(translation.source, *word, reads))) {
      tokens.push_back(std::move(part));
    }
  }
  return writes->join(tokens);
}

}  // namespace heed
