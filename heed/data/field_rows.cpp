#include "heed/data/field_rows.h"

#include <utility>

#include "heed/base/error.h"

namespace heed {

std::span<const TokenId> FieldRows::ids_of(size_t b) const {
  require(host != nullptr, "field: saw rows that did not come from the host, needs ids that did");
  return host->as<TokenId>().subspan(static_cast<size_t>(layout.starts()[b]),
                                     static_cast<size_t>(layout.lengths()[b]));
}

FieldRows HostRows::uploaded(const Place& place) && {
  FieldRows rows{{}, Layout::packed(lengths, place)};
  if (!grids.empty()) {
    rows.layout = rows.layout.with_grids(std::move(grids));
  }
  if (values.defined()) {
    rows.values = values.uploaded();
    rows.host = std::make_shared<const HostArray>(std::move(values));
  }
  return rows;
}

HostRows rows_of_numbers(std::span<const Item> items, int64_t width, const Place& place) {
  const auto numbers_of = [](const Item& item) {
    return std::span(reinterpret_cast<const float*>(item.data()), item.size() / sizeof(float));
  };
  HostRows rows;
  int64_t count = 0;
  for (const Item& item : items) {
    rows.lengths.push_back(
        static_cast<int32_t>(static_cast<int64_t>(numbers_of(item).size()) / width));
    count += rows.lengths.back();
  }
  rows.values = HostArray({count, width}, place);
  int64_t first = 0;
  for (const Item& item : items) {
    const auto numbers = numbers_of(item);
    rows.values.write(first, numbers);
    first += static_cast<int64_t>(numbers.size());
  }
  return rows;
}

}  // namespace heed
