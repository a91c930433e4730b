// Products of sizes that cannot overflow. Everything that turns lengths into memory multiplies here:
// shapes, the bytes of a tensor, the header of a file. Device code shares this header.
#pragma once

#include <cstdint>

namespace heed {

/// The most elements that a shape may have; with eight bytes each they are 2^51 bytes.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 48;

/// a · b for numbers from 0 on; −1 if a number is negative or the product is more than `most`.
constexpr std::int64_t product_up_to(std::int64_t most, std::int64_t a, std::int64_t b) {
  if (((a | b) >> 31) == 0) {  // the usual case, without a division
    return a * b <= most ? a * b : -1;
  }
  const bool fits = a >= 0 && b >= 0 && (a == 0 || b <= most / a);
  return fits ? a * b : -1;
}

}  // namespace heed
