// The catalogue of fields: the one list. To add one: its file in field/, and its line in fields.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/base/json.h"
#include "heed/data/field.h"

namespace heed {

const Catalogue<Field>& fields();

/// The kinds of the two fields as settings: `source` and `target` of a recipe's [data] and of a
/// model file.
class FieldChoice : public Described {
 public:
  /// Both are text by default.
  FieldChoice();
  void describe(Describer& d) override;
  /// New fields of these kinds with these settings; those of tokens have no vocabulary yet.
  Fields made();

  const Field& source() const { return *source_; }
  const Field& target() const { return *target_; }

 private:
  std::unique_ptr<Field> source_;
  std::unique_ptr<Field> target_;
};

/// Kinds and settings, as FieldChoice reads them.
Json config_of(const Fields& fields);

}  // namespace heed
