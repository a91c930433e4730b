#include "heed/text/display_width.h"

#include <utf8proc.h>

#include <algorithm>

#include "heed/text/utf8.h"

namespace heed {
namespace {

std::size_t cluster_width(std::string_view cluster) {
  constexpr char32_t emoji_form = 0xFE0F;
  std::size_t sum = 0;
  for (std::size_t at = 0; at < cluster.size();) {
    const CodePoint one = decode_utf8(cluster, at);
    if (one.code == emoji_form && sum > 0) {
      return 2;
    }
    sum += static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(one.code)));
    at += one.length;
  }
  return std::min<std::size_t>(sum, 2);
}

std::string blanks(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return std::string(columns > width ? columns - width : 0, ' ');
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const std::string_view cluster : graphemes(text)) {
    width += cluster_width(cluster);
  }
  return width;
}

std::string pad_right(std::string_view text, std::size_t columns) {
  return std::string(text) + blanks(text, columns);
}

std::string pad_left(std::string_view text, std::size_t columns) {
  return blanks(text, columns) + std::string(text);
}

std::string shorten(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) {
    return std::string(text);
  }
  if (columns == 0) {
    return {};
  }
  std::string kept;
  std::size_t width = 1;  // the ellipsis
  for (const std::string_view cluster : graphemes(text)) {
    width += cluster_width(cluster);
    if (width > columns) {
      break;
    }
    kept += cluster;
  }
  return kept + "…";
}

}  // namespace heed
