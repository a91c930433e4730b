// Items of token ids, and their rows in a batch.
#pragma once

#include <span>

#include "heed/data/field.h"

namespace heed {

Item item_of(std::span<const TokenId> ids);
std::span<const TokenId> ids_of(ItemView item);

/// The tokens that are added before and after every sequence; −1 means none.
struct TokenEnds {
  TokenId before = -1;
  TokenId after = -1;
};

/// Packed ids, i32 [N].
HostRows token_rows(std::span<const Item> items, const TokenEnds& ends, const Place& place);

}  // namespace heed
