// Special tokens: those that no text can spell. A vocabulary names them, so their ids are its own.
//
//   end, unknown, start      every vocabulary has them
//   mask, blank, padding     where a decoder asks for them
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

/// The name a vocabulary's file gives to a special token, and how the token is usually spelt.
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

  /// As a vocabulary that is learnt numbers them: end 0, unknown 1, start 2, then the others that are
  /// asked for, in the order of the enum.
  explicit SpecialTokens(std::span<const Special> also = {});

  TokenId end() const { return at(Special::end); }
  TokenId unknown() const { return at(Special::unknown); }
  TokenId start() const { return at(Special::start); }
  /// `none` where there is no such token.
  TokenId at(Special which) const { return ids_[static_cast<std::size_t>(which)]; }
  void set(Special which, TokenId id) { ids_[static_cast<std::size_t>(which)] = id; }

  bool has(Special which) const { return at(which) != none; }
  bool contains(TokenId id) const;
  std::size_t count() const;
  /// Those that no sentence says, ascending: all but end and unknown.
  std::vector<TokenId> unsaid() const;
  /// All there are, ascending.
  std::vector<TokenId> ids() const;

  bool operator==(const SpecialTokens&) const = default;

 private:
  std::array<TokenId, special_names.size()> ids_{};
};

/// How the special tokens that there are will be spelt, by id.
std::vector<std::string> usual_spellings(const SpecialTokens& specials);

}  // namespace heed
