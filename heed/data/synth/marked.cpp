// red green * blue red → blue: the colour behind the star. This task is for decoders that give a whole
// source one label: the others distract, and a query must find the one that counts.
#include <array>
#include <string>

#include "heed/data/synths.h"

namespace heed {
namespace {

class Marked : public Synth {
 public:
  std::string_view name() const override { return "marked"; }
  bool repeats_targets() const override { return true; }
  Split split(const Example& example) const override { return split_of(example.source); }

 protected:
  Example draw(Dice& dice) const override {
    static constexpr std::array colours = {"red", "green", "blue", "yellow"};
    Example example;
    const std::size_t length = dice.between(4, 12);
    const std::size_t marked = dice.below(length);
    for (std::size_t i = 0; i < length; ++i) {
      const std::string colour = colours[dice.below(colours.size())];
      example.source += (i == 0 ? "" : " ") + (i == marked ? "* " + colour : colour);
      example.target = i == marked ? colour : example.target;
    }
    return example;
  }
};

}  // namespace

std::unique_ptr<Synth> marked() { return std::make_unique<Marked>(); }

}  // namespace heed
