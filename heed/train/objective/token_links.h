// Word alignments that are given for pairs of the training data, as links between tokens.
//
// They come from a file of lines source TAB target TAB links, plain or gzip, with links as `heed
// align` writes them: `0-0 1-2`, source-target in words, counted from 0. A word is a token that
// begins a word and those that continue it; with tokenisers that do not split words, every token is
// one. A link between two words links all their tokens. Pairs are found by their tokens, so the file
// may be in any order and need not have all pairs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heed/data/field.h"

namespace heed {

class TokenLinks {
 public:
  /// (target token, source token), sorted.
  using Links = std::vector<std::pair<int32_t, int32_t>>;

  TokenLinks() = default;
  /// Fault::file names the line that is wrong.
  TokenLinks(const std::string& path, const Fields& fields);

  /// The links of a pair of token ids without end tokens; null if the file does not have the pair.
  const Links* find(std::span<const TokenId> source, std::span<const TokenId> target) const;
  size_t size() const { return links_.size(); }

 private:
  std::unordered_map<std::string, Links> links_;  // by the ids of both sides
};

}  // namespace heed
