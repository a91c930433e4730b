#include "heed/data/batch.h"

#include <utility>

#include "heed/data/fields.h"
#include "heed/data/token_items.h"

namespace heed {
namespace {

std::vector<Item> items_of(const IdSequences& sequences) {
  std::vector<Item> items;
  for (const auto& ids : sequences) {
    items.push_back(item_of(ids));
  }
  return items;
}

}  // namespace

std::span<const TokenId> Batch::words_of(size_t b) const {
  require(words != nullptr, "batch: saw no words on the host, needs those of its targets");
  return words->as<TokenId>().subspan(static_cast<size_t>(target.starts()[b]),
                                      static_cast<size_t>(target.lengths()[b]) - 1);
}

HostBatch collate(const BatchItems& items, const Place& place) {
  HostBatch batch{place, items.fields.source->collate(items.source, place), {}, {}, items.examples};
  if (items.target.empty()) {
    return batch;
  }
  require(items.target.size() == items.source.size(), "batch: saw {} sources and {} targets",
          items.source.size(), items.target.size());
  const SpecialTokens specials = items.fields.target->specials();
  batch.target_in = token_rows(items.target, {.before = specials.start()}, place);
  batch.target_out = token_rows(items.target, {.after = specials.end()}, place).values;
  return batch;
}

Batch HostBatch::uploaded() && {
  Batch batch;
  batch.examples = std::move(examples);
  batch.source = std::move(source).uploaded(place);
  if (target_out.defined()) {
    const FieldRows in = std::move(target_in).uploaded(place);
    batch.target = in.layout;
    batch.target_in = in.values;
    batch.target_out = target_out.uploaded();
    batch.words = std::make_shared<const HostArray>(std::move(target_out));
  }
  return batch;
}

Batch make_batch(const BatchItems& items, const Place& place) {
  return collate(items, place).uploaded();
}

Batch batch_of_ids(const IdSequences& source, const IdSequences& target, const Place& place) {
  return make_batch(
      {.fields = FieldChoice().made(), .source = items_of(source), .target = items_of(target)},
      place);
}

}  // namespace heed
