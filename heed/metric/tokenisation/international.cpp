// "«3,5» — 1990." → « 3,5 » — 1990.: NIST's mteval-v14 with --international-tokenization.
//
//     (\P{N})(\p{P}) → \1 \2_    (\p{P})(\P{N}) → _\1 \2    (\p{S}) → _\1_
#include "heed/metric/segment.h"
#include "heed/metric/tokenisations.h"
#include "heed/metric/western_punctuation.h"
#include "heed/text/letter.h"

namespace heed {
namespace {

bool is_no_number(char32_t code) { return category(code) != Category::number; }
bool is_punctuation(char32_t code) { return category(code) == Category::punctuation; }
bool is_symbol(char32_t code) { return category(code) == Category::symbol; }

class International : public Tokenisation {
 public:
  std::string_view name() const override { return "intl"; }

  std::vector<std::u32string> tokens(std::u32string_view line) const override {
    const std::u32string before = part_pairs(line, {is_no_number, is_punctuation, Apart::second});
    const std::u32string after = part_pairs(before, {is_punctuation, is_no_number, Apart::first});
    return split_at_blanks(set_apart(after, is_symbol));
  }
};

}  // namespace

std::unique_ptr<Tokenisation> international() { return std::make_unique<International>(); }

}  // namespace heed
