// A setting that is a list of vectors of the same width: [[0.5, 1], [0, -1]].
#pragma once

#include <string>
#include <vector>

#include "heed/config/setting.h"

namespace heed {

struct Vectors {
  static constexpr std::size_t most_rows = 256;
  static constexpr std::size_t most_width = 256;

  std::size_t rows = 0;
  std::size_t width = 0;
  std::vector<float> values;  // [rows, width]
};

class VectorsSetting final : public Setting {
 public:
  VectorsSetting(Vectors& value, About about) : Setting(std::move(about)), value_(value) {}

  const char* type() const override { return "vectors"; }
  Json value() const override;
  std::string allowed() const override;
  bool assign(const Json& given) override;

 private:
  Vectors& value_;
};

/// [[…], …] of `values`, so many in a row. Numbers that are none, such as the score of a slot that is never
/// looked at, are null.
Json written_vectors(const std::vector<float>& values, std::size_t width);

}  // namespace heed
