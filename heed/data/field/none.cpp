// none: this side is empty. The data of a language model are texts without a source.
#include "heed/data/fields.h"

namespace heed {
namespace {

class NoField : public Field {
 public:
  void describe(Describer& /*d*/) override {}
  RowKind row_kind() const override { return RowKind::none; }
  RowForm form() const override { return RowForm::numbers(0); }
  std::string summary() const override { return "nothing"; }

  int64_t columns() const override { return 0; }
  Item read(std::string_view /*cell*/) const override { return {}; }
  int64_t length(ItemView /*item*/) const override { return 0; }
  HostRows collate(std::span<const Item> items, const Place& /*place*/) const override {
    return {{}, std::vector<int32_t>(items.size(), 0)};
  }
  ReadSource reading(const Source& /*source*/) const override { return {}; }
  std::vector<std::string> labels(const ReadSource& /*read*/) const override { return {}; }
};

}  // namespace

std::unique_ptr<Field> no_field() { return std::make_unique<NoField>(); }

}  // namespace heed
