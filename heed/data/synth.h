// Made-up tasks: example = f(seed, index, split), drawn by Philox, the same on every machine and in
// any order.
//
// The splits cannot overlap: a hash of the target alone (without the seed) decides which split an
// example belongs to, 90 % train, 5 % valid, 5 % test, and `make` draws until the example is of its
// split. The target is a function of the source, so neither a source nor a target of one split ever
// occurs in another, whatever the seeds. Tasks with few targets divide sources instead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heed/base/philox.h"
#include "heed/data/example.h"

namespace heed {

enum class Split { train, valid, test };

Split split_of(std::string_view target);

/// Draws in sequence from one RandomKey.
class Dice {
 public:
  explicit Dice(const RandomKey& key) : draws_(key) {}

  /// Uniform in [0, bound).
  std::size_t below(std::size_t bound) { return draws_.below(next_++, bound); }
  /// Uniform in [first, last].
  std::size_t between(std::size_t first, std::size_t last) {
    return first + below(last - first + 1);
  }
  /// True once in `times`.
  bool one_in(std::size_t times) { return below(times) == 0; }

 private:
  Draws draws_;
  std::uint64_t next_ = 0;
};

class Synth {
 public:
  virtual ~Synth() = default;

  /// Its name in the catalogue.
  virtual std::string_view name() const = 0;

  /// The kind of field that reads its sources.
  virtual std::string_view source_field() const { return "text"; }

  /// Whether there are too few different targets to divide them: then only sources are divided.
  virtual bool repeats_targets() const { return false; }

  /// The target and the places in a picture that its words name, as a gold line of the pointing game
  /// (metric/pointing_game.h); empty where a task has none.
  virtual std::string gold_line(const Example& example) const {
    static_cast<void>(example);
    return {};
  }
  /// The words of the target with the second at which each begins in the source, word@1.25; empty if
  /// the sources have no times.
  virtual std::string times(const Example& /*example*/) const { return {}; }

  /// The split that an example belongs to.
  virtual Split split(const Example& example) const { return split_of(example.target); }

  /// A pure function: indices may come in any order and from any thread.
  Example make(std::uint64_t seed, std::uint64_t index, Split split = Split::train) const;

 protected:
  /// One example; its target must be a function of its source.
  virtual Example draw(Dice& dice) const = 0;
};

/// Sometimes puts the text in capitals or in small letters, as people do; letters beyond ASCII stay
/// as they are.
std::string in_some_case(std::string text, Dice& dice);

}  // namespace heed
