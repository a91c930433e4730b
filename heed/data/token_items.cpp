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

HostRows token_rows(std::span<const Item> items, const TokenEnds& ends, const Place& place) {
  HostRows rows;
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
    rows.lengths.push_back(static_cast<int32_t>(static_cast<int64_t>(ids.size()) + added_by(ends)));
  }
  rows.values = HostArray({static_cast<int64_t>(all.size())}, place.with(DType::i32));
  rows.values.write(0, all);
  return rows;
}

}  // namespace heed
