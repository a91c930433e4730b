// Formats a shape in a message, only when the message is written.
#pragma once

#include "heed/base/error.h"
#include "heed/device/shape.h"

template <>
struct fmt::formatter<heed::Shape> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  auto format(const heed::Shape& shape, format_context& context) const {
    return fmt::format_to(context.out(), "{}", heed::to_string(shape));
  }
};
