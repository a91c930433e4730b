// three hundred and forty-two → 342: 0 to 999 999 in English words, each length of number equally
// often, with or without "and", hyphens and commas, "a hundred" for "one hundred", "fifteen
// hundred" for "one thousand five hundred".
#include <array>
#include <string>

#include "heed/data/synths.h"

namespace heed {
namespace {

constexpr std::array<std::string_view, 20> small = {
    "zero",     "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<std::string_view, 10> tens = {"",      "",      "twenty",  "thirty", "forty",
                                                   "fifty", "sixty", "seventy", "eighty", "ninety"};

/// How one speaker says numbers.
struct Manner {
  bool says_and;
  bool writes_hyphens;
  bool writes_commas;
  bool counts_hundreds;  // fifteen hundred
  bool says_a;           // a hundred
};

std::string below_hundred(std::size_t n, const Manner& manner) {
  if (n < 20) {
    return std::string(small[n]);
  }
  const std::string start(tens[n / 10]);
  return n % 10 == 0 ? start
                     : start + (manner.writes_hyphens ? "-" : " ") + std::string(small[n % 10]);
}

/// `count` hundreds and the rest; count may be up to 99.
std::string hundreds(std::size_t count, std::size_t rest, const Manner& manner) {
  std::string text = below_hundred(count, manner) + " hundred";
  if (rest > 0) {
    text += (manner.says_and ? " and " : " ") + below_hundred(rest, manner);
  }
  return text;
}

std::string below_thousand(std::size_t n, const Manner& manner) {
  return n < 100 ? below_hundred(n, manner) : hundreds(n / 100, n % 100, manner);
}

std::string in_words(std::size_t n, const Manner& manner) {
  if (n < 1000) {
    return below_thousand(n, manner);
  }
  if (manner.counts_hundreds && n < 10000 && n / 100 % 10 != 0) {
    return hundreds(n / 100, n % 100, manner);
  }
  std::string text = below_thousand(n / 1000, manner) + " thousand";
  const std::size_t rest = n % 1000;
  if (rest >= 100) {
    text += (manner.writes_commas ? ", " : " ") + below_thousand(rest, manner);
  } else if (rest > 0) {
    text += (manner.says_and ? " and " : " ") + below_hundred(rest, manner);
  }
  return text;
}

class Numbers : public Synth {
 public:
  std::string_view name() const override { return "numbers"; }

 protected:
  Example draw(Dice& dice) const override {
    std::size_t above = 10;
    for (std::size_t digits = dice.between(1, 6); digits > 1; --digits) {
      above *= 10;
    }
    const std::size_t n = above == 10 ? dice.below(10) : dice.between(above / 10, above - 1);
    const Manner manner{dice.one_in(2), !dice.one_in(4), dice.one_in(4), dice.one_in(4),
                        dice.one_in(4)};
    std::string source = in_words(n, manner);
    constexpr std::string_view one = "one ";
    if (manner.says_a && source.substr(0, one.size()) == one) {
      source = "a " + source.substr(one.size());
    }
    return {in_some_case(source, dice), std::to_string(n)};
  }
};

}  // namespace

std::unique_ptr<Synth> numbers() { return std::make_unique<Numbers>(); }

}  // namespace heed
