#include "heed/text/token_spans.h"

#include <algorithm>

#include "heed/text/utf8.h"

namespace heed {
namespace {

/// For every byte of the normalised text but its blanks, the character that it came from.
std::vector<ByteSpan> origins(std::string_view text, const Normalises& normalises) {
  std::vector<ByteSpan> all;
  std::size_t at = 0;
  for (const std::string_view character : graphemes(text)) {
    const std::string becomes = normalises.normalised(character);
    const auto blanks = static_cast<std::size_t>(std::count(becomes.begin(), becomes.end(), ' '));
    all.insert(all.end(), becomes.size() - blanks, {at, at + character.size()});
    at += character.size();
  }
  return all;
}

/// Where tokens that together are the text begin and end.
std::vector<ByteSpan> spans_as_written(std::span<const std::string> surfaces) {
  std::vector<ByteSpan> spans;
  std::size_t at = 0;
  for (const std::string& surface : surfaces) {
    spans.push_back({at, at + surface.size()});
    at += surface.size();
  }
  return spans;
}

}  // namespace

std::vector<ByteSpan> token_spans(const Tokeniser& tokeniser, std::string_view text,
                                  std::span<const std::string> tokens) {
  check_utf8("spans", text);
  std::vector<std::string> surfaces;
  for (const std::string& token : tokens) {
    surfaces.push_back(tokeniser.surface(token));
  }
  const auto* const normalises = dynamic_cast<const Normalises*>(&tokeniser);
  if (normalises == nullptr) {
    return spans_as_written(surfaces);
  }
  const std::vector<ByteSpan> from = origins(text, *normalises);
  const auto origin = [&](std::size_t i) {
    return i < from.size() ? from[i] : ByteSpan{text.size(), text.size()};
  };
  std::vector<ByteSpan> spans;
  std::size_t before = 0;  // bytes of the tokens before this one, but for their blanks
  std::size_t end = 0;     // of the token before
  for (const std::string& surface : surfaces) {
    const auto blanks = static_cast<std::size_t>(std::count(surface.begin(), surface.end(), ' '));
    const std::size_t own = surface.size() - blanks;
    const std::size_t begin = own > 0 ? origin(before).begin : end;
    end = std::max(begin, own > 0 ? origin(before + own - 1).end : origin(before).begin);
    spans.push_back({begin, end});
    before += own;
  }
  return spans;
}

}  // namespace heed
