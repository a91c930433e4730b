// The element types a View may hold. f64 exists in the reference backend only. bf16, f16 and u8 are for
// storing: such tensors are copied, cast, gathered, read and written; computing is done in f32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/device/half.h"

namespace heed {

enum class DType : uint8_t { f32, f64, i32, bf16, f16, u8 };

constexpr size_t bytes_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 8;
    case DType::bf16:
    case DType::f16:
      return 2;
    case DType::u8:
      return 1;
    default:
      return 4;
  }
}

constexpr const char* name_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return "f64";
    case DType::i32:
      return "i32";
    case DType::bf16:
      return "bf16";
    case DType::f16:
      return "f16";
    case DType::u8:
      return "u8";
    default:
      return "f32";
  }
}

/// Whether elements may have gradients.
constexpr bool is_real(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }
constexpr bool is_half(DType dtype) { return dtype == DType::bf16 || dtype == DType::f16; }
/// Whether primitives compute with elements; if not, they only store them.
constexpr bool is_computed(DType dtype) { return is_real(dtype) || dtype == DType::i32; }

template <class T>
inline constexpr DType dtype_of = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<int32_t> = DType::i32;
template <>
inline constexpr DType dtype_of<Bf16> = DType::bf16;
template <>
inline constexpr DType dtype_of<F16> = DType::f16;
template <>
inline constexpr DType dtype_of<uint8_t> = DType::u8;

[[noreturn]] void refuse_stored_type(DType dtype);

/// Calls `body(T{})` with the C++ type that `dtype` names, for types that primitives compute with.
template <class Body>
decltype(auto) with_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::f64:
      return body(double{});
    case DType::i32:
      return body(int32_t{});
    case DType::f32:
      return body(float{});
    default:
      refuse_stored_type(dtype);
  }
}

/// The same for any type.
template <class Body>
decltype(auto) with_any_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::bf16:
      return body(Bf16{});
    case DType::f16:
      return body(F16{});
    case DType::u8:
      return body(uint8_t{});
    default:
      return with_type(dtype, body);
  }
}

}  // namespace heed
