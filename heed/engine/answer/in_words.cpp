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

TokenSide source_side(const Seen& seen, const TrainedModel& trained) {
  std::vector<bool> is_special(seen.columns.size(), false);
  if (seen.columns_end) {
    is_special.back() = true;
  }
  return {seen.columns, std::move(is_special), tokeniser_of(*trained.fields.source)};
}

TokenSide target_side(const Reply& reply, const TrainedModel& trained) {
  const Vocabulary& vocabulary = trained.fields.target->vocabulary();
  const Seen& seen = reply.looked();
  std::vector<bool> is_special(seen.rows.size(), false);
  for (size_t i = 0; i < std::min(reply.ids.size(), seen.rows.size()); ++i) {
    is_special[i] =
        vocabulary.specials().contains(reply.ids[i]) || !vocabulary.is_text(reply.ids[i]);
  }
  if (seen.rows_end) {
    is_special.back() = true;
  }
  return {seen.rows, std::move(is_special), tokeniser_of(*trained.fields.target)};
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

Seen in_words(const Reply& reply, const TrainedModel& trained) {
  const Seen& seen = reply.looked();
  require(seen.weights.empty() || seen.weights.columns == seen.columns.size(),
          "words: saw {} weights of a word, needs one for each of {} slots", seen.weights.columns,
          seen.columns.size());
  Seen out = seen;
  if (seen.links) {
    out.columns = seen.links->source;
    out.rows = seen.links->target;
    return out;
  }
  const TokenSide read = source_side(seen, trained);
  const TokenSide written = target_side(reply, trained);
  const std::vector<TokenSpan> source = words_of(read);
  const std::vector<TokenSpan> target = words_of(written);
  out.columns.clear();
  out.rows.clear();
  out.weights = {};
  for (const TokenSpan& s : source) {
    out.columns.push_back(joined(read, s));
  }
  std::vector<float> row(source.size());
  for (const TokenSpan& t : target) {
    out.rows.push_back(joined(written, t));
    if (seen.weights.empty()) {
      continue;
    }
    for (size_t column = 0; column < source.size(); ++column) {
      double total = 0;
      for (size_t i = t.first; i < t.last; ++i) {
        for (size_t j = source[column].first; j < source[column].last; ++j) {
          total += seen.weights.at(i, j);
        }
      }
      row[column] = static_cast<float>(total / static_cast<double>(t.last - t.first));
    }
    out.weights.add(row);
  }
  return out;
}

struct WordLinker::Words {
  TokenSide read;
  TokenSide written;
  std::vector<TokenSpan> source;
  std::vector<TokenSpan> target;
};

WordLinker::WordLinker(const Reply& tokens, const TrainedModel& trained)
    : words_(std::make_unique<Words>(
          Words{source_side(tokens.looked(), trained), target_side(tokens, trained), {}, {}})) {
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

Seen with_links_only(const Reply& reply, const TrainedModel& trained) {
  Seen seen = reply.looked();
  if (!seen.weights.empty()) {
    WordLinker linker(reply, trained);
    for (size_t i = 0; i < seen.weights.rows(); ++i) {
      linker.add(seen.weights.row(i));
    }
    seen.links = linker.links();
    seen.weights = {};
  }
  return seen;
}

std::string text_without_unknowns(const Reply& reply, const TrainedModel& trained) {
  const SpecialTokens specials = trained.fields.target->specials();
  const Seen& seen = reply.looked();
  const TokenSide read = source_side(seen, trained);
  const Tokeniser* writes = tokeniser_of(*trained.fields.target);
  const std::vector<TokenSpan> source = words_of(read);
  std::vector<std::string> tokens;
  for (size_t i = 0; i < seen.rows.size(); ++i) {
    const TokenId id = reply.ids[i];
    if (id != specials.unknown() || i >= seen.weights.rows()) {
      if (trained.fields.target->vocabulary().is_text(id)) {
        tokens.push_back(seen.rows[i]);
      }
      continue;
    }
    const auto row = seen.weights.row(i);
    const auto slots = row.end() - (seen.columns_end ? 1 : 0);
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
