// qwert → trewq: 3 to 12 of 26 letters, reversed. The attention weights should form the
// antidiagonal.
#include <string>

#include "heed/data/synths.h"

namespace heed {
namespace {

class Reverse : public Synth {
 public:
  std::string_view name() const override { return "reverse"; }

 protected:
  Example draw(Dice& dice) const override {
    std::string source;
    const std::size_t length = dice.between(3, 12);
    for (std::size_t i = 0; i < length; ++i) {
      source += static_cast<char>('a' + dice.below(26));
    }
    return {source, {source.rbegin(), source.rend()}};
  }
};

}  // namespace

std::unique_ptr<Synth> reverse() { return std::make_unique<Reverse>(); }

}  // namespace heed
