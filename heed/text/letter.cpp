#include "heed/text/letter.h"

#include <utf8proc.h>

namespace heed {
namespace {

utf8proc_category_t precise_category(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

bool is_cased(char32_t code) {
  switch (precise_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
      return true;
    default:
      return false;
  }
}

/// Whether a code may stand inside a word without being a letter (UAX #44, Case_Ignorable): marks,
/// modifiers, format characters, and the punctuation that UAX #29 keeps within words.
bool is_case_ignorable(char32_t code) {
  constexpr std::u32string_view within_words = U"'.:··՟״‘’․‧︓﹒﹕＇．：";
  switch (precise_category(code)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return within_words.find(code) != std::u32string_view::npos;
  }
}

/// Whether the first code from `at`, in steps of `step`, that cannot be ignored is a cased letter.
bool meets_cased(std::u32string_view text, std::size_t at, int step) {
  const auto next = [&] { at += static_cast<std::size_t>(step); };
  for (next(); at < text.size(); next()) {
    if (!is_case_ignorable(text[at])) {
      return is_cased(text[at]);
    }
  }
  return false;
}

}  // namespace

Category category(char32_t code) {
  switch (precise_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return Category::letter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return Category::mark;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Category::number;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return Category::punctuation;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
      return Category::symbol;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return Category::separator;
    default:
      return Category::other;
  }
}

std::u32string lower(std::u32string_view text) {
  constexpr char32_t capital_sigma = U'Σ';
  constexpr char32_t capital_dotted_i = U'İ';
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char32_t code = text[at];
    if (code == capital_sigma) {
      const bool ends_word = meets_cased(text, at, -1) && !meets_cased(text, at, 1);
      out += ends_word ? U'ς' : U'σ';
    } else if (code == capital_dotted_i) {
      out += U"i\u0307";
    } else {
      out += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
    }
  }
  return out;
}

}  // namespace heed
