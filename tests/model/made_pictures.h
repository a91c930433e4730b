// Pictures made by hand, u8 pixels with grids, and the fronts that read them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/model/fronts.h"
#include "tests/support/backends.h"

namespace heed::test::made_pictures {

inline Place cpu() { return {&forced("cpu"), DType::f32}; }
inline Place exact() { return {&forced("reference"), DType::f64}; }

/// Pictures whose pixels count 0, 7, 14, … (mod 256).
inline FieldRows pictures(const std::vector<GridExtent>& extents, const Place& place,
                          int first = 0) {
  std::vector<int32_t> pixels;
  HostRows made;
  std::vector<int32_t>& lengths = made.lengths;
  for (const GridExtent& extent : extents) {
    lengths.push_back(extent.height * extent.width);
    for (int32_t i = 0; i < lengths.back() * 3; ++i) {
      pixels.push_back((first + i * 7) % 256);
    }
    first += 13;
  }
  const auto rows = static_cast<int64_t>(pixels.size()) / 3;
  made.grids = extents;
  made.values = HostArray({rows, 3}, place.with(DType::u8));
  made.values.write(0, pixels);
  return std::move(made).uploaded(place);
}

inline double normalised(int pixel) { return pixel / 127.5 - 1; }

inline std::unique_ptr<Front> front(const std::string& kind, const std::string& settings) {
  auto made = make_part(fronts(), kind);
  apply(*made, parse_json(settings, "test"));
  return made;
}

inline FrontWidths widths(int64_t width = 8) {
  return {RowForm::numbers(3), width, false, nullptr};
}

inline FieldRows run(const Front& part, const FieldRows& source) {
  Pass pass = Pass::serving();
  return part(source, pass);
}

inline std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

inline std::string said_by(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline std::vector<double> seen_by(Described& described) {
  auto& part = dynamic_cast<Front&>(described);
  Init init(cpu(), 3);
  std::vector<double> numbers = {static_cast<double>(part.width(widths(8)))};
  part.build(widths(8), init);
  return joined(numbers, run(part, pictures({{9, 6}}, cpu())).values.values());
}

}  // namespace heed::test::made_pictures
