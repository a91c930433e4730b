#include "heed/engine/answer/pieces.h"

#include <algorithm>
#include <span>

#include "heed/base/error.h"
#include "heed/text/sentences.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

bool is_in(std::u32string_view set, char32_t code) {
  return set.find(code) != std::u32string_view::npos;
}

/// The position nearest to the middle that `is_place` accepts; 0 if there is none.
template <class IsPlace>
size_t nearest_middle(size_t size, IsPlace&& is_place) {
  for (size_t distance = 0; 2 * distance < size; ++distance) {
    for (const size_t at : {size / 2 - distance, size / 2 + distance}) {
      if (at > 0 && at < size && is_place(at)) {
        return at;
      }
    }
  }
  return 0;
}

/// The number of bytes of blanks that the text begins with.
size_t blanks_before(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const CodePoint one = decode_utf8(text, at);
    if (one.length == 0 || !is_white_space(one.code)) {
      break;
    }
    at += one.length;
  }
  return at;
}

/// Where the blanks begin that the text ends with.
size_t end_before_blanks(std::string_view text) {
  size_t end = 0;  // of the last character that is no blank
  for (size_t at = 0; at < text.size();) {
    const CodePoint one = decode_utf8(text, at);
    at += std::max<size_t>(one.length, 1);
    end = one.length == 0 || !is_white_space(one.code) ? at : end;
  }
  return end;
}

/// Cuts in two until every part fits. Blanks around a text that does not fit go into gaps, so that
/// a run of blanks is no text, however long it is.
void cut(PieceText piece, const Field& source, int64_t most, std::vector<PieceText>& out) {
  const auto fits = [&source, most](PieceText& one) {
    one.read = source.reading(one.text);
    return static_cast<int64_t>(one.read->tokens.size()) <= most;
  };
  if (most <= 0 || fits(piece)) {
    out.push_back(std::move(piece));
    return;
  }
  const size_t whole = piece.text.size();
  if (const size_t before = blanks_before(piece.text); before > 0) {
    out.push_back({"", piece.text.substr(0, before)});
    piece.text.erase(0, before);
  }
  const size_t end = end_before_blanks(piece.text);
  piece.gap.insert(0, piece.text, end, std::string::npos);
  const bool had_blanks = end < piece.text.size() || piece.text.size() < whole;
  piece.text.resize(end);
  if (had_blanks && fits(piece)) {
    out.push_back(std::move(piece));
    return;
  }
  const std::vector<PieceText> halves = cut_in_two(piece);
  if (halves.size() < 2) {
    out.push_back(std::move(piece));
    return;
  }
  for (const PieceText& half : halves) {
    cut(half, source, most, out);
  }
}

/// The pieces of a text that begins with named tokens, each behind those.
std::vector<PieceText> pieces_behind(const std::string& names, const std::string& rest,
                                     const Field& source, PieceOptions options) {
  if (options.most > 0) {
    const auto count = static_cast<int64_t>(source.vocabulary().names_before(names).names.size());
    options.most = std::max<int64_t>(options.most - count, 1);
  }
  std::vector<PieceText> pieces = pieces_of(rest, source, options);
  for (PieceText& piece : pieces) {
    if (!piece.text.empty() || pieces.size() == 1) {
      piece.text.insert(0, names);
      piece.read.reset();
    }
  }
  return pieces;
}

/// The number of pieces that are translated.
size_t count_texts(std::span<const PieceText> pieces) {
  return static_cast<size_t>(std::count_if(
      pieces.begin(), pieces.end(), [](const PieceText& piece) { return !piece.text.empty(); }));
}

}  // namespace

std::vector<PieceText> cut_in_two(const PieceText& piece) {
  const std::u32string codes = code_points(piece.text);
  const size_t size = codes.size();
  size_t at = nearest_middle(size, [&](size_t i) {
    return is_in(U"，；：、。！？", codes[i - 1]) ||
           (is_in(U",;:.!?", codes[i - 1]) && is_white_space(codes[i]));
  });
  // Punctuation counts only if both parts keep at least a fifth.
  at = std::min(at, size - at) * 5 < size ? 0 : at;
  if (at == 0) {
    at = nearest_middle(
        size, [&](size_t i) { return is_white_space(codes[i]) && !is_white_space(codes[i - 1]); });
  }
  at = at == 0 ? size / 2 : at;
  size_t next = at;
  while (next < size && is_white_space(codes[next])) {
    ++next;
  }
  if (at == 0 || next == size) {
    return {piece};
  }
  const std::u32string_view all = codes;
  return {{to_utf8(all.substr(0, at)), to_utf8(all.substr(at, next - at))},
          {to_utf8(all.substr(next)), piece.gap}};
}

std::vector<PieceText> pieces_of(const std::string& line, const Field& source,
                                 const PieceOptions& options) {
  const size_t end = source.has_vocabulary() ? source.vocabulary().names_before(line).end : 0;
  if (end > 0) {
    return pieces_behind(line.substr(0, end), line.substr(end), source, options);
  }
  std::vector<PieceText> sentences;
  if (options.splits) {
    for (const Sentence& sentence : split_sentences(line)) {
      if (!sentence.text.empty()) {
        sentences.push_back({std::string(sentence.text), std::string(sentence.gap)});
      }
    }
  }
  if (sentences.size() < 2) {
    sentences = {{line, ""}};
  }
  std::vector<PieceText> pieces;
  for (const PieceText& sentence : sentences) {
    const size_t before = pieces.size();
    cut(sentence, source, options.most, pieces);
    const size_t parts = count_texts(std::span(pieces).subspan(before));
    if (parts > 1) {
      pieces[before].warning =
          fmt::format("line {}: a sentence has more than {} tokens; it is translated in {} parts",
                      options.line, options.most, parts);
    }
  }
  return pieces;
}

}  // namespace heed
