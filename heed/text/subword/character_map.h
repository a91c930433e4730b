// The map of characters that is applied before a text is split into subwords, as SentencePiece
// compiles it: ﬁ → fi, Ａ → A, a tab → a blank.
//
//   bytes of the trie (4, little endian) | trie | texts, each ended by a zero
//
// The trie is a double array (Aoe 1989) as Darts-clone writes it; a leaf holds the offset of a
// text. The indices come from a file, so all are checked before one is followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

class CharacterMap {
 public:
  CharacterMap() = default;
  /// If `compiled` is empty, nothing is mapped. Fault::file where the map leads out of itself.
  CharacterMap(std::string_view compiled, std::string_view who);

  bool empty() const { return units_.empty(); }

  /// The longest beginning of `text` that is in the map, and what it becomes; length 0 if there is
  /// none.
  struct Match {
    std::size_t length = 0;
    std::string_view becomes;
  };
  Match match(std::string_view text) const;

 private:
  void check_units() const;
  std::string_view text_at(uint32_t at) const;
  [[noreturn]] void fail_corrupt() const;

  std::vector<uint32_t> units_;
  std::string texts_;
  std::string who_;
};

}  // namespace heed
