// Special tokens, which no text can spell. Each vocabulary names them and gives them ids.
//
//   end, unknown, start      in every learnt vocabulary; a table of another toolkit may do without
//                            an unknown token, and its start may be its end
//   mask, blank, padding     if a decoder needs them
//
// Beside them it says which of its ordinary tokens is the separator, the one that is a blank: where
// words are spelt by characters, it is between them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

using TokenId = std::int32_t;

enum class Special : std::uint8_t { end, unknown, start, mask, blank, padding };

/// The name of a special token in a vocabulary's file, and its usual spelling.
struct SpecialName {
  Special which;
  std::string_view name;
  std::string_view spelling;
};
inline constexpr std::array<SpecialName, 6> special_names = {
    {{Special::end, "end", "</s>"},
     {Special::unknown, "unknown", "<unk>"},
     {Special::start, "start", "<s>"},
     {Special::mask, "mask", "<mask>"},
     {Special::blank, "blank", "<blank>"},
     {Special::padding, "padding", "<pad>"}}};

/// The id of each special token.
class SpecialTokens {
 public:
  static constexpr TokenId none = -1;

  /// The ids in a learnt vocabulary: end 0, unknown 1, start 2, then the other ones that are
  /// needed, in the order of the enum.
  explicit SpecialTokens(std::span<const Special> also = {});

  TokenId end() const { return at(Special::end); }
  /// `none` if every text can be spelt.
  TokenId unknown() const { return at(Special::unknown); }
  TokenId start() const { return at(Special::start); }
  /// `none` if there is no such token.
  TokenId at(Special which) const { return ids_[static_cast<std::size_t>(which)]; }
  void set(Special which, TokenId id) { ids_[static_cast<std::size_t>(which)] = id; }

  /// The token " "; `none` where no token is it.
  TokenId separator() const { return separator_; }
  void set_separator(TokenId id) { separator_ = id; }

  bool has(Special which) const { return at(which) != none; }
  bool contains(TokenId id) const;
  /// The number of tokens that are special.
  std::size_t count() const { return ids().size(); }
  /// The ids that no output contains, ascending: all but end and unknown.
  std::vector<TokenId> suppressed() const;
  /// All ids, each once, ascending.
  std::vector<TokenId> ids() const;

  bool operator==(const SpecialTokens&) const = default;

 private:
  std::array<TokenId, special_names.size()> ids_{};
  TokenId separator_ = none;
};

/// The spelling of the special tokens, by id.
std::vector<std::string> usual_spellings(const SpecialTokens& specials);

}  // namespace heed
