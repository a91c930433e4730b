#include "heed/data/token_items.h"

namespace heed {

Item item_of(std::span<const TokenId> ids) {
  const auto bytes = std::as_bytes(ids);
  return {bytes.begin(), bytes.end()};
}

std::span<const TokenId> ids_of(ItemView item) {
  return {reinterpret_cast<const TokenId*>(item.data()), item.size() / sizeof(TokenId)};
}

namespace {

int64_t added_by(const TokenEnds& ends) { return int{ends.before >= 0} + int{ends.after >= 0}; }

}  // namespace

Tensor token_values(std::span<const Item> items, const TokenEnds& ends, const Place& place) {
  std::vector<TokenId> all;
  for (const Item& item : items) {
    if (ends.before >= 0) {
      all.push_back(ends.before);
    }
    const auto ids = ids_of(item);
    all.insert(all.end(), ids.begin(), ids.end());
    if (ends.after >= 0) {
      all.push_back(ends.after);
    }
  }
  return Tensor::of(all, {static_cast<int64_t>(all.size())}, place.with(DType::i32));
}

FieldRows token_rows(std::span<const Item> items, const TokenEnds& ends, const Place& place) {
  std::vector<int32_t> lengths;
  for (const Item& item : items) {
    lengths.push_back(
        static_cast<int32_t>(static_cast<int64_t>(ids_of(item).size()) + added_by(ends)));
  }
  return {token_values(items, ends, place), Layout::packed(lengths, place)};
}

}  // namespace heed
