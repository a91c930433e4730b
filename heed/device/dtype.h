// The element types of Views. Only the reference backend has f64.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed {

enum class DType : uint8_t { f32, f64, i32 };

constexpr size_t bytes_of(DType dtype) { return dtype == DType::f64 ? 8 : 4; }

constexpr const char* name_of(DType dtype) {
  return dtype == DType::f32 ? "f32" : dtype == DType::f64 ? "f64" : "i32";
}

template <class T>
inline constexpr DType dtype_of = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<int32_t> = DType::i32;

/// Calls `body(T{})` with the C++ type that `dtype` names.
template <class Body>
decltype(auto) with_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::f64:
      return body(double{});
    case DType::i32:
      return body(int32_t{});
    default:
      return body(float{});
  }
}

}  // namespace heed
