// Dialled digits → the digits: three to eight keys as pairs of tones with gaps (media/dialling.h), in
// noise that may be as loud as they are (0 to 20 dB), at a speed that changes on the way. A key lasts
// about 100 ms and a gap about 70 ms, divided by the speed:
//
//   train, valid   0.8 to 1.25
//   test           0.55 to 0.7 or 1.4 to 1.7, which training never saw
//
// The source's text says when each key begins (dialling_of), so that alignments can be judged.
#include <cmath>

#include "heed/data/synths.h"
#include "heed/media/dialling.h"

namespace heed {
namespace {

class Tones : public Synth {
 public:
  std::string_view name() const override { return "tones"; }
  std::string_view source_field() const override { return "sound"; }
  std::string times(const Example& example) const override {
    std::string line;
    for (const Key& key : dialling_of(example.source).keys) {
      line += fmt::format("{}{}@{:.3f}", line.empty() ? "" : " ", key.digit, key.start_ms / 1000.0);
    }
    return line;
  }

 protected:
  Example draw(Dice& dice) const override {
    Example example;
    const std::size_t count = dice.between(3, 8);
    for (std::size_t i = 0; i < count; ++i) {
      example.target += static_cast<char>('0' + dice.below(10));
    }
    // The target alone decides the split, so the speed may follow from it.
    const bool is_test = split_of(example.target) == Split::test;
    const bool is_slow = is_test && dice.one_in(2);
    const double first = speed(is_test, is_slow, dice);
    const double last = speed(is_test, is_slow, dice);
    Dialling dialling;
    int32_t at = static_cast<int32_t>(dice.between(30, 200));
    for (std::size_t i = 0; i < count; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(count - 1);
      const double now = first + share * (last - first);
      const int32_t length = milliseconds(100, now, dice);
      dialling.keys.push_back({example.target[i], at, length});
      at += length + milliseconds(70, now, dice);
    }
    dialling.length_ms = at + static_cast<int32_t>(dice.between(0, 150));
    dialling.noise_db = static_cast<int32_t>(dice.between(0, 20));
    dialling.noise_number = static_cast<uint32_t>(dice.below(1'000'000));
    example.source = text_of(dialling);
    return example;
  }

 private:
  static double speed(bool is_test, bool is_slow, Dice& dice) {
    const std::size_t percent = !is_test  ? dice.between(80, 125)
                                : is_slow ? dice.between(55, 70)
                                          : dice.between(140, 170);
    return static_cast<double>(percent) / 100;
  }
  /// About `typical` / speed, up to 15 % more or less.
  static int32_t milliseconds(int32_t typical, double speed, Dice& dice) {
    const double percent = static_cast<double>(dice.between(85, 115));
    return static_cast<int32_t>(std::lround(typical * percent / 100 / speed));
  }
};

}  // namespace

std::unique_ptr<Synth> tones() { return std::make_unique<Tones>(); }

}  // namespace heed
