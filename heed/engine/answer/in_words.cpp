#include "heed/engine/answer/in_words.h"

#include <algorithm>

#include "heed/text/word_pieces.h"

namespace heed {

/// Tokens [first, last) of one word.
struct TokenSpan {
  size_t first = 0;
  size_t last = 0;
};

/// The tokens of one side, and which of them are special.
struct TokenSide {
  const std::vector<std::string>& tokens;
  std::vector<bool> is_special;
  const Tokeniser* tokeniser;
};

namespace {

/// The tokeniser that knows where words begin; null if a side has no tokens, where every slot is a
/// word.
const Tokeniser* tokeniser_of(const Field& field) {
  return field.has_tokens() ? &field.vocabulary().tokeniser() : nullptr;
}

TokenSide source_side(const Translation& translation, const TrainedModel& trained) {
  std::vector<bool> is_special(translation.source.size(), false);
  if (translation.source_ends) {
    is_special.back() = true;
  }
  return {translation.source, std::move(is_special), tokeniser_of(*trained.fields.source)};
}

TokenSide target_side(const Translation& translation, const TrainedModel& trained) {
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

std::vector<TokenSpan> words_of(const TokenSide& side) {
  const auto* parts = dynamic_cast<const WordPieces*>(side.tokeniser);
  std::vector<TokenSpan> words;
  for (size_t i = 0; i < side.tokens.size(); ++i) {
    if (i == 0 || side.is_special[i] || side.is_special[i - 1] || parts == nullptr ||
        parts->begins_word(side.tokens[i])) {
      words.push_back({i, i});
    }
    words.back().last = i + 1;
  }
  return words;
}

std::string joined(const TokenSide& side, const TokenSpan& word) {
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
  const TokenSide read = source_side(translation, trained);
  const TokenSide written = target_side(translation, trained);
  const std::vector<TokenSpan> source = words_of(read);
  const std::vector<TokenSpan> target = words_of(written);
  Translation out = translation;
  out.source.clear();
  out.target.clear();
  out.ids.clear();
  out.weights.clear();
  for (const TokenSpan& s : source) {
    out.source.push_back(joined(read, s));
  }
  for (const TokenSpan& t : target) {
    out.target.push_back(joined(written, t));
    if (translation.weights.empty()) {
      continue;
    }
    std::vector<float> row;
    for (const TokenSpan& s : source) {
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

struct WordLinker::Words {
  TokenSide read;
  TokenSide written;
  std::vector<TokenSpan> source;
  std::vector<TokenSpan> target;
};

WordLinker::WordLinker(const Translation& tokens, const TrainedModel& trained)
    : words_(std::make_unique<Words>(
          Words{source_side(tokens, trained), target_side(tokens, trained), {}, {}})) {
  words_->source = words_of(words_->read);
  words_->target = words_of(words_->written);
  sums_.resize(words_->source.size());
}

WordLinker::~WordLinker() = default;

void WordLinker::add(std::span<const float> row) {
  require(row.size() == words_->read.tokens.size(),
          "links: saw {} weights of a token, needs one for each of {} slots", row.size(),
          words_->read.tokens.size());
  if (word_ == words_->target.size()) {
    return;  // the end, where it is not shown
  }
  for (size_t s = 0; s < sums_.size(); ++s) {
    for (size_t j = words_->source[s].first; j < words_->source[s].last; ++j) {
      sums_[s] += row[j];
    }
  }
  const TokenSpan& word = words_->target[word_];
  if (++rows_ < word.last) {
    return;
  }
  const auto count = static_cast<double>(word.last - word.first);
  const auto mean = [count](double sum) { return static_cast<float>(sum / count); };
  const auto most = std::max_element(sums_.begin(), sums_.end(),
                                     [&](double a, double b) { return mean(a) < mean(b); });
  if (most != sums_.end() && mean(*most) > 0) {
    pairs_.emplace_back(static_cast<size_t>(most - sums_.begin()), word_);
  }
  std::fill(sums_.begin(), sums_.end(), 0);
  ++word_;
}

WordLinks WordLinker::links() {
  WordLinks all;
  for (const TokenSpan& word : words_->source) {
    all.source.push_back(joined(words_->read, word));
  }
  for (const TokenSpan& word : words_->target) {
    all.target.push_back(joined(words_->written, word));
  }
  all.pairs = std::move(pairs_);
  std::sort(all.pairs.begin(), all.pairs.end());
  return all;
}

Translation with_links_only(Translation translation, const TrainedModel& trained) {
  if (translation.weights.empty()) {
    return translation;
  }
  WordLinker linker(translation, trained);
  for (const std::vector<float>& row : translation.weights) {
    linker.add(row);
  }
  translation.word_links = linker.links();
  translation.weights.clear();
  translation.weights.shrink_to_fit();
  return translation;
}

std::string text_without_unknowns(const Translation& translation, const TrainedModel& trained) {
  const SpecialTokens specials = trained.fields.target->specials();
  const TokenSide read = source_side(translation, trained);
  const Tokeniser* writes = tokeniser_of(*trained.fields.target);
  const std::vector<TokenSpan> source = words_of(read);
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
                                   [looked](const TokenSpan& s) { return looked < s.last; });
    for (std::string& part : writes->split(joined(read, *word))) {
      tokens.push_back(std::move(part));
    }
  }
  return writes->join(tokens);
}

}  // namespace heed
