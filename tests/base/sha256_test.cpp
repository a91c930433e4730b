#include "heed/base/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "heed/base/philox.h"

namespace heed::sha256_test {
namespace {

// FIPS 180-4 examples and NIST's short messages.
TEST(Sha256, GivesThePublishedAnswers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(
      sha256_hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopq"
                 "klmnopqrlmnopqrsmnopqrstnopqrstu"),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256_hex(std::string(1, '\xbd')),
            "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
}

std::string random_bytes(std::size_t count, std::uint64_t seed) {
  const Draws draws(RandomKey{seed, 0, 0});
  std::string bytes(count, '\0');
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<char>(draws.bits(i));
  }
  return bytes;
}

TEST(Sha256, PiecesEqualTheWhole) {
  const std::string bytes = random_bytes(1000, 9);
  const Draws cuts(RandomKey{10, 0, 0});
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Sha256 pieces;
    std::string_view rest = bytes;
    for (std::uint64_t i = 0; !rest.empty(); ++i) {
      const std::size_t size =
          std::min<std::size_t>(rest.size(), cuts.below(trial * 1000 + i, 150));
      pieces.update(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    ASSERT_EQ(pieces.finish_hex(), sha256_hex(bytes));
  }
}

}  // namespace
}  // namespace heed::sha256_test
