// What is answered: the cell of a table, which may name a file, or bytes in memory, which name nothing.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "heed/base/error.h"

namespace heed {

class Source {
 public:
  /// A cell: a text or, where the field reads files, the name of one.
  Source(std::string cell) : cell_(std::move(cell)) {}
  Source(const char* cell) : cell_(cell) {}
  /// What a file would hold: a text, a picture, a recording or numbers. Whatever is in them, no file
  /// is opened.
  static Source of_bytes(std::string bytes) {
    Source source{std::string()};
    source.bytes_ = std::make_shared<const std::string>(std::move(bytes));
    return source;
  }

  bool is_bytes() const { return bytes_ != nullptr; }
  std::string_view bytes() const {
    require(is_bytes(), "source: saw a cell, needs bytes");
    return *bytes_;
  }
  const std::string& cell() const {
    require(!is_bytes(), "source: saw bytes, needs a cell");
    return cell_;
  }
  /// A text, which a cell and bytes have alike.
  std::string_view text() const { return is_bytes() ? *bytes_ : cell_; }

  /// These seconds of a recording whose bytes these are.
  Source stretch(double start, double end) const {
    Source part = *this;
    part.start_ = start;
    part.end_ = end;
    return part;
  }
  double start() const { return start_; }
  double end() const { return end_; }

 private:
  std::string cell_;
  std::shared_ptr<const std::string> bytes_;  // parts of a recording share them
  double start_ = 0;
  double end_ = std::numeric_limits<double>::infinity();
};

}  // namespace heed
