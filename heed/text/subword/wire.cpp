#include "heed/text/subword/wire.h"

#include <bit>

#include "heed/base/error.h"

namespace heed {

bool WireReader::next() {
  if (!is_read_) {
    skip();
  }
  if (rest_.empty()) {
    return false;
  }
  const uint64_t tag = varint();
  const uint64_t type = tag & 7;
  if (tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF || (type > 2 && type != 5)) {
    fail(Fault::file,
         "{}: there is a field with the tag {} among the subwords; the vocabulary is corrupt", who_,
         tag);
  }
  field_ = static_cast<uint32_t>(tag >> 3);
  type_ = static_cast<Type>(type);
  is_read_ = false;
  return true;
}

uint64_t WireReader::number() {
  expect(Type::number);
  return varint();
}

float WireReader::real() {
  expect(Type::four_bytes);
  uint32_t bits = 0;
  int shift = 0;
  for (const char byte : take(4)) {
    bits |= static_cast<uint32_t>(static_cast<uint8_t>(byte)) << shift;
    shift += 8;
  }
  return std::bit_cast<float>(bits);
}

std::string_view WireReader::bytes() {
  expect(Type::bytes);
  return take(varint());
}

uint64_t WireReader::varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<uint8_t>(take(1).front());
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  fail(Fault::file,
       "{}: there is a number of more than 64 bits among the subwords; the vocabulary is corrupt",
       who_);
}

std::string_view WireReader::take(uint64_t count) {
  if (count > rest_.size()) {
    fail(Fault::file,
         "{}: the subwords need {} bytes more where {} are left; the vocabulary is corrupt", who_,
         count, rest_.size());
  }
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

void WireReader::expect(Type type) {
  if (type_ != type) {
    fail(Fault::file,
         "{}: field {} of the subwords has the wire type {}, not {}; the vocabulary is corrupt",
         who_, field_, static_cast<int>(type_), static_cast<int>(type));
  }
  is_read_ = true;
}

void WireReader::skip() {
  is_read_ = true;
  switch (type_) {
    case Type::number:
      varint();
      break;
    case Type::eight_bytes:
      take(8);
      break;
    case Type::bytes:
      take(varint());
      break;
    case Type::four_bytes:
      take(4);
      break;
  }
}

}  // namespace heed
