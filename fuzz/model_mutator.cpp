// How a model file is changed. libFuzzer's own changes would nearly all end at the length of the
// header, so most changes keep the file's parts together, and some put an absurd number in the place
// of one in the header, where the settings and the shapes are.
#include <array>
#include <cctype>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "fuzz/fuzz_target.h"
#include "fuzz/model_parts.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace heed::fuzz {
namespace {

constexpr std::array<std::string_view, 30> absurd = {"0",
                                                     "-1",
                                                     "1",
                                                     "2",
                                                     "7",
                                                     "255",
                                                     "4095",
                                                     "16384",
                                                     "65535",
                                                     "65536",
                                                     "1000000",
                                                     "16777216",
                                                     "2147483647",
                                                     "2147483648",
                                                     "4294967295",
                                                     "4294967296",
                                                     "1099511627776",
                                                     "1000000000000000000",
                                                     "2305843009213693952",
                                                     "2305843009213693953",
                                                     "4611686018427387904",
                                                     "9223372036854775807",
                                                     "-9223372036854775808",
                                                     "18446744073709551615",
                                                     "18446744073709551616",
                                                     "1e300",
                                                     "-1e300",
                                                     "0.5",
                                                     "1e-300",
                                                     "null"};

std::string mutated(const std::string& text, std::size_t most) {
  std::string room = text;
  room.resize(std::max(most, text.size()));
  const std::size_t size =
      LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(room.data()), text.size(), room.size());
  room.resize(size);
  return room;
}

/// Replaces one of the numbers that stand after a colon, a comma or a bracket.
std::string with_absurd_number(const std::string& text, std::minstd_rand& random) {
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  for (std::size_t tries = 0; tries < 64 && !text.empty(); ++tries) {
    std::size_t begin = random() % text.size();
    while (begin < text.size() && !(is_digit(text[begin]) && begin > 0 &&
                                    std::strchr(":,[ ", text[begin - 1]) != nullptr)) {
      ++begin;
    }
    std::size_t end = begin;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) {
      ++end;
    }
    if (begin < end) {
      return text.substr(0, begin) + std::string(absurd[random() % absurd.size()]) +
             text.substr(end);
    }
  }
  return text;
}

ModelParts changed(ModelParts parts, std::size_t room, std::minstd_rand& random) {
  switch (random() % 4) {
    case 0:
      parts.header = mutated(parts.header, parts.header.size() + room);
      break;
    case 1: {
      const std::size_t size = parts.data.size();  // which the header promises
      if (size > 0) {
        parts.data = mutated(parts.data, size);
        parts.data.resize(size);
      }
      break;
    }
    default:
      parts.header = with_absurd_number(parts.header, random);
  }
  return parts;
}

}  // namespace
}  // namespace heed::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  using namespace heed::fuzz;
  std::minstd_rand random(seed);
  if (random() % 8 == 0) {
    return LLVMFuzzerMutate(data, size, most);
  }
  const std::string file =
      file_of(changed(parts_of(text_of(data, size)), most > size ? most - size : 0, random));
  if (file.size() > most) {
    return LLVMFuzzerMutate(data, size, most);
  }
  std::memcpy(data, file.data(), file.size());
  return file.size();
}
