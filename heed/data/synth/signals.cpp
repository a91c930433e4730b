// Noisy rows of eight numbers, one of them large and the others small → letters: the n-th number is
// large for the n-th letter, for one to three rows. Neighbouring letters differ, so that their
// boundary can be seen. The attention weights should form the diagonal.
#include <cstdlib>
#include <string>

#include "heed/data/synths.h"

namespace heed {
namespace {

class Signals : public Synth {
 public:
  std::string_view name() const override { return "signals"; }
  std::string_view source_field() const override { return "features"; }

 protected:
  Example draw(Dice& dice) const override {
    Example example;
    const std::size_t length = dice.between(2, 6);
    for (std::size_t i = 0; i < length; ++i) {
      std::size_t letter = dice.below(letters);
      while (i > 0 && example.target.back() == static_cast<char>('a' + letter)) {
        letter = dice.below(letters);
      }
      example.target += static_cast<char>('a' + letter);
      const std::size_t rows = dice.between(1, 3);
      for (std::size_t row = 0; row < rows; ++row) {
        add_row(letter, dice, example.source);
      }
    }
    return example;
  }

 private:
  static constexpr std::size_t letters = 8;

  static void add_row(std::size_t letter, Dice& dice, std::string& source) {
    source += source.empty() ? "" : ";";
    for (std::size_t i = 0; i < letters; ++i) {
      const int noise = static_cast<int>(dice.below(61)) - 30;  // ± 0.3
      const int hundredths = (i == letter ? 100 : 0) + noise;
      const int size = std::abs(hundredths);
      source += i == 0 ? "" : " ";
      source += hundredths < 0 ? "-" : "";
      source += static_cast<char>('0' + size / 100);
      source += '.';
      source += static_cast<char>('0' + size / 10 % 10);
      source += static_cast<char>('0' + size % 10);
    }
  }
};

}  // namespace

std::unique_ptr<Synth> signals() { return std::make_unique<Signals>(); }

}  // namespace heed
