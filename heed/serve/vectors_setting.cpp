#include "heed/serve/vectors_setting.h"

#include <cmath>
#include <optional>
#include <utility>

namespace heed {
namespace {

std::optional<float> number_in(const Json& json) {
  std::optional<double> value;
  if (const auto* const whole = json.get<int64_t>()) {
    value = static_cast<double>(*whole);
  } else if (const auto* const number = json.get<double>()) {
    value = *number;
  }
  constexpr double most = 1e6;
  return value && std::abs(*value) <= most ? std::optional(static_cast<float>(*value))
                                           : std::nullopt;
}

}  // namespace

Json VectorsSetting::value() const { return written_vectors(value_.values, value_.width); }

std::string VectorsSetting::allowed() const {
  return "a list of 1 to " + std::to_string(Vectors::most_rows) +
         " lists, each of as many numbers, 1 to " + std::to_string(Vectors::most_width) +
         ", from -1e6 to 1e6";
}

bool VectorsSetting::assign(const Json& given) {
  const auto* const rows = given.get<Json::Array>();
  if (rows == nullptr || rows->empty() || rows->size() > Vectors::most_rows) {
    return false;
  }
  Vectors read;
  read.rows = rows->size();
  for (const Json& row : *rows) {
    const auto* const numbers = row.get<Json::Array>();
    const bool is_first = read.width == 0;
    if (numbers == nullptr || numbers->empty() || numbers->size() > Vectors::most_width ||
        (!is_first && numbers->size() != read.width)) {
      return false;
    }
    read.width = numbers->size();
    for (const Json& one : *numbers) {
      const std::optional<float> number = number_in(one);
      if (!number) {
        return false;
      }
      read.values.push_back(*number);
    }
  }
  value_ = std::move(read);
  return true;
}

Json written_vectors(const std::vector<float>& values, std::size_t width) {
  Json rows = Json::array();
  for (std::size_t first = 0; first < values.size(); first += width) {
    Json row = Json::array();
    for (std::size_t i = first; i < first + width; ++i) {
      row.push(std::isfinite(values[i]) ? Json(static_cast<double>(values[i])) : Json());
    }
    rows.push(std::move(row));
  }
  return rows;
}

}  // namespace heed
