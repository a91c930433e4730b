// 3 7 7 2 → new up same down: each digit is compared with the one before it. This task is for
// labelling decoders: the target has as many words as the source.
#include <string>

#include "heed/data/synths.h"

namespace heed {
namespace {

class Trends : public Synth {
 public:
  std::string_view name() const override { return "trends"; }

 protected:
  Example draw(Dice& dice) const override {
    Example example;
    std::size_t before = 0;
    const std::size_t length = dice.between(4, 12);
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t digit = dice.below(10);
      example.source += (i == 0 ? "" : " ") + std::to_string(digit);
      example.target += i == 0           ? "new"
                        : digit > before ? " up"
                        : digit < before ? " down"
                                         : " same";
      before = digit;
    }
    return example;
  }
};

}  // namespace

std::unique_ptr<Synth> trends() { return std::make_unique<Trends>(); }

}  // namespace heed
