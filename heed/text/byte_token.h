// A byte as a token: <0xE4>, SentencePiece's spelling.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

std::string byte_token(std::uint8_t byte);

/// Nothing where the token is no byte's.
std::optional<std::uint8_t> byte_of_token(std::string_view token);

/// Where bytes are not UTF-8, U+FFFD in place of each: a model may say any.
std::string repaired_utf8(std::string_view bytes);

}  // namespace heed
