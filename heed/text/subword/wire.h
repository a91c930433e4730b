// Reads the wire format of Protocol Buffers and trusts nothing in it: every length is compared with
// the number of bytes left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heed {

/// The fields of one message, one after the other.
class WireReader {
 public:
  /// `who` begins the message of an Error (Fault::file).
  WireReader(std::string_view bytes, std::string_view who) : rest_(bytes), who_(who) {}

  /// Goes to the next field; false at the end. A value that was not read is skipped.
  bool next();
  uint32_t field() const { return field_; }

  /// The value of the field; an Error where it has another type.
  uint64_t number();
  bool flag() { return number() != 0; }
  float real();
  std::string_view bytes();

 private:
  enum class Type : uint8_t { number = 0, eight_bytes = 1, bytes = 2, four_bytes = 5 };
  uint64_t varint();
  std::string_view take(uint64_t count);
  void expect(Type type);
  void skip();

  std::string_view rest_;
  std::string_view who_;
  uint32_t field_ = 0;
  Type type_ = Type::number;
  bool is_read_ = true;
};

}  // namespace heed
