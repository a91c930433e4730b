// What the reader and the writer of safetensors files agree on; nothing else includes it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "heed/base/checked_product.h"
#include "heed/base/json.h"
#include "heed/device/dtype.h"

namespace heed {

// The specification allows headers of 100 MB. One such header of tiny entries would cost a hundred
// times as much memory as a model; these limits allow 30 000 tensors.
inline constexpr JsonLimits header_limits{
    .most_bytes = std::size_t{1} << 23, .most_depth = 4, .most_values = std::size_t{1} << 18};
inline constexpr std::size_t most_metadata = 4096;
inline constexpr std::uint64_t most_data_bytes = std::uint64_t{most_elements} * 8;
inline constexpr int most_axes = 8;
inline constexpr std::size_t length_bytes = 8;
inline constexpr std::size_t hash_digits = 64;
inline constexpr const char* metadata_name = "__metadata__";

struct TypeRow {
  DType type;
  const char* name;

  std::int64_t bytes() const { return static_cast<std::int64_t>(bytes_of(type)); }
};
inline constexpr std::array<TypeRow, 6> stored_types{{{DType::f32, "F32"},
                                                      {DType::f64, "F64"},
                                                      {DType::i32, "I32"},
                                                      {DType::bf16, "BF16"},
                                                      {DType::f16, "F16"},
                                                      {DType::u8, "U8"}}};

inline const TypeRow& row_of(DType type) {
  return *std::find_if(stored_types.begin(), stored_types.end(),
                       [type](const TypeRow& row) { return row.type == type; });
}

/// The position of the hash's digits in a header; `digits` are their value there.
std::size_t find_digits(std::string_view header, const std::string& digits, const std::string& who);

}  // namespace heed
