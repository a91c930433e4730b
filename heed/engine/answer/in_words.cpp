#include "heed/engine/answer/in_words.h"

#include <algorithm>

#include "heed/text/word_pieces.h"

namespace heed {
namespace {

/// Tokens [first, last) of one word.
struct Span {
  size_t first = 0;
  size_t last = 0;
};

/// The tokeniser that knows where words begin; null if a side has no tokens, where every slot is a
/// word.
const Tokeniser* tokeniser_of(const Field& field) {
  return field.has_tokens() ? &field.vocabulary().tokeniser() : nullptr;
}

/// The tokens of one side, and which of them are special.
struct Side {
  const std::vector<std::string>& tokens;
  std::vector<bool> is_special;
  const Tokeniser* tokeniser;
};

Side source_side(const Translation& translation, const TrainedModel& trained) {
  std::vector<bool> is_special(translation.source.size(), false);
  if (translation.source_ends) {
    is_special.back() = true;
  }
  return {translation.source, std::move(is_special), tokeniser_of(*trained.fields.source)};
}

Side target_side(const Translation& translation, const TrainedModel& trained) {
  const SpecialTokens specials = trained.fields.target->specials();
  std::vector<bool> is_special(translation.target.size(), false);
  for (size_t i = 0; i < translation.ids.size(); ++i) {
    is_special[i] = specials.contains(translation.ids[i]);
  }
  if (translation.ended) {
    is_special.back() = true;
  }
  return {translation.target, std::move(is_special), tokeniser_of(*trained.fields.target)};
}

std::vector<Span> words_of(const Side& side) {
  const auto* parts = dynamic_cast<const WordPieces*>(side.tokeniser);
  std::vector<Span> words;
  for (size_t i = 0; i < side.tokens.size(); ++i) {
    if (i == 0 || side.is_special[i] || side.is_special[i - 1] || parts == nullptr ||
        parts->begins_word(side.tokens[i])) {
      words.push_back({i, i});
    }
    words.back().last = i + 1;
  }
  return words;
}

std::string joined(const Side& side, const Span& word) {
  if (side.tokeniser == nullptr || side.is_special[word.first]) {
    return side.tokens[word.first];
  }
  return side.tokeniser->join(std::span(side.tokens).subspan(word.first, word.last - word.first));
}

}  // namespace

Translation in_words(const Translation& translation, const TrainedModel& trained) {
  for (const std::vector<float>& row : translation.weights) {
    require(row.size() == translation.source.size(),
            "translation: saw {} weights of a word, needs one for each of {} slots", row.size(),
            translation.source.size());
  }
  if (translation.word_links) {
    Translation linked = translation;
    linked.source = translation.word_links->source;
    linked.target = translation.word_links->target;
    linked.ids.clear();
    return linked;
  }
  const Side read = source_side(translation, trained);
  const Side written = target_side(translation, trained);
  const std::vector<Span> source = words_of(read);
  const std::vector<Span> target = words_of(written);
  Translation out = translation;
  out.source.clear();
  out.target.clear();
  out.ids.clear();
  out.weights.clear();
  for (const Span& s : source) {
    out.source.push_back(joined(read, s));
  }
  for (const Span& t : target) {
    out.target.push_back(joined(written, t));
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

Translation with_links_only(Translation translation, const TrainedModel& trained) {
  if (translation.weights.empty()) {
    return translation;
  }
  const Translation words = in_words(translation, trained);
  translation.word_links = {words.source, words.target, links(words, true)};
  translation.weights.clear();
  translation.weights.shrink_to_fit();
  return translation;
}

std::string text_without_unknowns(const Translation& translation, const TrainedModel& trained) {
  const SpecialTokens specials = trained.fields.target->specials();
  const Side read = source_side(translation, trained);
  const Tokeniser* writes = tokeniser_of(*trained.fields.target);
  const std::vector<Span> source = words_of(read);
  std::vector<std::string> tokens;
  for (size_t i = 0; i < translation.target.size(); ++i) {
    const TokenId id = translation.ids[i];
    if (id != specials.unknown() || i >= translation.weights.size()) {
      if (id != specials.end()) {
        tokens.push_back(translation.target[i]);
      }
      continue;
    }
    const auto& row = translation.weights[i];
    const auto slots = row.end() - (translation.source_ends ? 1 : 0);
    const auto looked = static_cast<size_t>(std::max_element(row.begin(), slots) - row.begin());
    const auto word = std::find_if(source.begin(), source.end(),
                                   [looked](const Span& s) { return looked < s.last; });
    for (std::string& part : writes->split(joined(read, *word))) {
      tokens.push_back(std::move(part));
    }
  }
  return writes->join(tokens);
}

}  // namespace heed
