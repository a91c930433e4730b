// text: a cell is a sentence, an item its token ids, a batch has one id a row and ends every
// sentence in the end token.
#include "heed/data/batch.h"
#include "heed/data/fields.h"
#include "heed/data/token_items.h"

namespace heed {
namespace {

class TextField : public Field {
 public:
  void describe(Describer& /*d*/) override {}
  RowForm form() const override {
    return RowForm::ids(static_cast<int64_t>(vocabulary().size()), specials());
  }
  std::string summary() const override {
    return fmt::format("{} tokens ({})", vocabulary().size(), vocabulary().tokeniser().name());
  }
  RowKind row_kind() const override { return RowKind::ids; }

  Item read(std::string_view cell) const override { return item_of(vocabulary().encode(cell)); }
  int64_t length(ItemView item) const override { return static_cast<int64_t>(ids_of(item).size()); }
  int64_t rows(ItemView item) const override { return length(item) + 1; }
  FieldRows collate(std::span<const Item> items, const Place& place) const override {
    return token_rows(items, {.after = specials().end()}, place);
  }
  /// The tokens as they were written, known or not, and the end token.
  std::vector<std::string> labels(std::string_view cell, ItemView /*item*/) const override {
    std::vector<std::string> tokens = vocabulary().tokeniser().split(cell);
    tokens.push_back(vocabulary().token(specials().end()));
    return tokens;
  }
};

}  // namespace

std::unique_ptr<Field> text_field() { return std::make_unique<TextField>(); }

}  // namespace heed
