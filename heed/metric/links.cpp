#include "heed/metric/links.h"

#include <charconv>
#include <optional>
#include <string>

#include "heed/base/error.h"
#include "heed/text/tokenisers.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

struct MarkedLink {
  Link link;
  char mark = 0;
};

std::optional<MarkedLink> read_link(std::string_view text) {
  constexpr std::int64_t longest_sentence = 1'000'000;
  MarkedLink out;
  const char* end = text.data() + text.size();
  const auto source = std::from_chars(text.data(), end, out.link.first);
  if (source.ec != std::errc() || source.ptr == end || out.link.first < 0 ||
      out.link.first > longest_sentence) {
    return std::nullopt;
  }
  out.mark = *source.ptr;
  const auto target = std::from_chars(source.ptr + 1, end, out.link.second);
  const bool is_whole = target.ec == std::errc() && target.ptr == end && out.link.second >= 0 &&
                        out.link.second <= longest_sentence;
  const bool is_known = std::string_view("-p?").find(out.mark) != std::string_view::npos;
  return is_whole && is_known ? std::optional(out) : std::nullopt;
}

}  // namespace

Links read_links(std::string_view line, std::string_view who) {
  Links links;
  for (const std::string& word : words()->split(line)) {
    const auto read = read_link(word);
    if (!read) {
      fail(Fault::file,
           "{}: \"{}\" must be links such as 0-2 (source-target, counted from 0), or 0p2 where it "
           "is only possible",
           who, make_visible(std::string_view(word).substr(0, 40)));
    }
    links.possible.insert(read->link);
    if (read->mark == '-') {
      links.sure.insert(read->link);
    }
  }
  return links;
}

}  // namespace heed
