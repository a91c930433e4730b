// The cells of a table. They are read from the files once and then used twice: to learn
// vocabularies and to make items. They lie on disk where they exceed the memory allowed.
#pragma once

#include <cstdint>
#include <string_view>

#include "heed/data/spill.h"

namespace heed {

class Cells {
 public:
  /// Each side may fill the memory that `place` allows.
  explicit Cells(const SpillPlace& place = {}) : source_(place), target_(place) {}

  void add(std::string_view source, std::string_view target) {
    source_.add({source.data(), source.size()});
    target_.add({target.data(), target.size()});
  }
  /// Must be called after the last `add` and before the first read.
  void finish() {
    source_.finish();
    target_.finish();
  }

  /// See SpilledBytes.
  void release() const {
    source_.release();
    target_.release();
  }

  std::int64_t size() const { return source_.size(); }
  std::string_view source(std::int64_t i) const { return view(source_.at(i)); }
  std::string_view target(std::int64_t i) const { return view(target_.at(i)); }

 private:
  static std::string_view view(std::span<const char> letters) {
    return {letters.data(), letters.size()};
  }

  Sequences<char> source_;
  Sequences<char> target_;
};

}  // namespace heed
