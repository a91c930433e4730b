// "Hi, it's 1,000-2.5!" → Hi , it's 1,000 - 2.5 !: NIST's mteval-v13a, WMT's standard since 2006.
#include "heed/metric/segment.h"
#include "heed/metric/tokenisations.h"
#include "heed/metric/western_punctuation.h"

namespace heed {
namespace {

class Mteval13a : public Tokenisation {
 public:
  std::string_view name() const override { return "13a"; }

  std::vector<std::u32string> tokens(std::u32string_view line) const override {
    std::u32string text = replaced(line, U"<skipped>", U"");
    text = replaced(replaced(text, U"-\n", U""), U"\n", U" ");
    return split_at_blanks(set_western_punctuation_apart(between_blanks(without_entities(text))));
  }
};

}  // namespace

std::unique_ptr<Tokenisation> mteval_13a() { return std::make_unique<Mteval13a>(); }

}  // namespace heed
