#include "heed/data/batch.h"

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

Batch make_batch(const BatchItems& items, const Place& place) {
  Batch batch;
  batch.examples = items.examples;
  batch.source = items.fields.source->collate(items.source, place);
  if (items.target.empty()) {
    return batch;
  }
  require(items.target.size() == items.source.size(), "batch: saw {} sources and {} targets",
          items.source.size(), items.target.size());
  const SpecialTokens specials = items.fields.target->specials();
  const FieldRows in = token_rows(items.target, {.before = specials.start()}, place);
  batch.target = in.layout;
  batch.target_in = in.values;
  batch.target_out = token_values(items.target, {.after = specials.end()}, place);
  return batch;
}

Batch batch_of_ids(const IdSequences& source, const IdSequences& target, const Place& place) {
  return make_batch(
      {.fields = FieldChoice().made(), .source = items_of(source), .target = items_of(target)},
      place);
}

}  // namespace heed
