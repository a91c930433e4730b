// Word alignments as text, one sentence a line: `0-0 1-2 3p4`, source-target, counted from 0.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

namespace heed {

using Link = std::pair<std::int64_t, std::int64_t>;

/// The links that every annotator agrees on, and those that are possible, which include them.
struct Links {
  std::set<Link> sure;
  std::set<Link> possible;
};

/// `i-j` is sure, `ipj` and `i?j` are possible (Pharaoh's format, with the marks of the gold
/// standards). Throws an Error of kind `file` on anything else, with `who` at its beginning.
Links read_links(std::string_view line, std::string_view who);

}  // namespace heed
