#include "heed/data/fields.h"

#include "heed/config/apply.h"
#include "heed/config/explain.h"

namespace heed {
namespace {

Json config_with_kind(Field& field) {
  Json config = config_of(field);
  config.set("kind", field.kind());
  return config;
}

}  // namespace

const Catalogue<Field>& fields() {
  static const Catalogue<Field> all(
      "field",
      {
          {"text", {}, "tokens of a vocabulary", HEED_MADE_BY(Field, text_field)},
          {"features",
           {},
           "rows of numbers, such as the frames of a recording",
           HEED_MADE_BY(Field, features_field)},
          {"picture",
           {},
           "the pixels of a JPEG or PNG file, or of a drawn scene",
           HEED_MADE_BY(Field, picture_field)},
          {"sound", {}, "recordings, as rows of their spectra", HEED_MADE_BY(Field, sound_field)},
          {"none",
           {},
           "nothing: the texts of a language model have no source",
           HEED_MADE_BY(Field, no_field)},
      });
  return all;
}

FieldChoice::FieldChoice()
    : source_(make_part(fields(), "text")), target_(make_part(fields(), "text")) {}

void FieldChoice::describe(Describer& d) {
  d.part("source", source_, fields(), {"what a source is"});
  d.part("target", target_, fields(),
         {"what a target is; a target needs tokens, which only text has among the fields that come "
          "with heed"});
}

Fields FieldChoice::made() {
  FieldChoice copy;
  apply(copy, heed::config_of(*this));
  return {std::move(copy.source_), std::move(copy.target_)};
}

Json config_of(const Fields& fields) {
  Json config = Json::object();
  config.set("source", config_with_kind(*fields.source));
  config.set("target", config_with_kind(*fields.target));
  return config;
}

}  // namespace heed
