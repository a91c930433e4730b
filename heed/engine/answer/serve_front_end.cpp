#include "heed/engine/answer/serve_front_end.h"

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/data/fields.h"

namespace heed {

void use_front_end(TrainedModel& trained, const std::string& preset, const std::string& name) {
  const Field& source = *trained.fields.source;
  if (source.kind() != "features") {
    fail(Fault::usage,
         "`features`: {} reads {}, and this is for models that read features made elsewhere; leave "
         "it out",
         name, source.has_tokens() ? "text" : source.kind());
  }
  std::shared_ptr<Field> heard = make_part(fields(), "sound");
  Json settings = Json::object();
  settings.set("features", preset);
  const Json trained_on = heed::config_of(static_cast<Described&>(*trained.fields.source));
  for (const auto& [setting, value] : *trained_on.get<Json::Object>()) {
    if (setting == "normalise" || setting == "over" || setting == "statistics") {
      settings.set(setting, value);
    }
  }
  apply(*heard, settings);
  heard->check();
  if (heard->form().width() != source.form().width()) {
    fail(Fault::usage,
         "`features`: {} makes {} numbers a row, but {} reads {}; name the front end that made its "
         "features",
         preset, heard->form().width(), name, source.form().width());
  }
  trained.fields.source = std::move(heard);
}

}  // namespace heed
