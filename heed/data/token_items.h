// Items that are token ids: as numbers, and as the rows of a batch.
#pragma once

#include <span>

#include "heed/data/field.h"

namespace heed {

Item item_of(std::span<const TokenId> ids);
std::span<const TokenId> ids_of(ItemView item);

/// What every sequence begins and ends with; −1 stands for nothing.
struct TokenEnds {
  TokenId before = -1;
  TokenId after = -1;
};

/// Ids i32 [N], packed.
FieldRows token_rows(std::span<const Item> items, const TokenEnds& ends, const Place& place);
/// The ids alone, where the layout is known.
Tensor token_values(std::span<const Item> items, const TokenEnds& ends, const Place& place);

}  // namespace heed
