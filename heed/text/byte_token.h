// A byte as a token: <0xE4>, SentencePiece's spelling.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

std::string byte_token(std::uint8_t byte);

/// The byte that a token spells; nothing where it spells none.
std::optional<std::uint8_t> byte_of_token(std::string_view token);

/// Replaces each byte that is not UTF-8 by U+FFFD, because a model may output any bytes.
std::string repaired_utf8(std::string_view bytes);

}  // namespace heed
