// Byte pairs (Sennrich et al. 2016) over bytes, as GPT-2 and Whisper have them: a text is cut into
// words, each word into its bytes, and pairs that stand in a list are merged, the first in the list
// before the others, the leftmost of equal ones first, until no pair of the list is left.
//
// The words are those of GPT-2's pattern:
//
//     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// A short ending, letters, numbers or other characters, each with the blank before it; and white
// space, of which the last character stays for what follows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

/// The words of a text, one behind the other; the views point into it. Fault::file if it is not UTF-8.
std::vector<std::string_view> byte_pair_words(std::string_view text);

class BytePairs {
 public:
  BytePairs();

  /// Merges these two tokens from now on, after all pairs before. Fault::file if one of them is
  /// neither a byte's letter nor what an earlier pair makes, or if the pair is there already.
  void add(std::string_view left, std::string_view right);

  /// Appends the tokens of one word.
  void split(std::string_view word, std::vector<std::string>& tokens) const;
  bool knows(std::string_view token) const { return ids_.find(token) != ids_.end(); }

 private:
  struct Merge {
    std::uint32_t rank = 0;
    std::uint32_t id = 0;  // of what the two make
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::uint32_t id_of(std::string_view token);
  const Merge* merge_of(std::uint32_t left, std::uint32_t right) const;

  std::vector<std::string> tokens_;  // the letter of each byte, then what pairs make
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
  std::unordered_map<std::uint64_t, Merge> merges_;
};

}  // namespace heed
