// An untrained language model of the letters that small_trained_model writes.
#pragma once

#include <string>

#include "heed/data/fields.h"
#include "tests/engine/small_trained_model.h"

namespace heed::test {

inline TrainedModel small_language_model(const std::string& decoder) {
  TrainedModel trained;
  FieldChoice choice;
  apply(choice, parse_json(R"({"source": "none"})", "test"));
  Cells cells;
  for (const Example& example : letters()) {
    cells.add("", example.target);
  }
  cells.finish();
  trained.fields = learn_fields(choice.made(), cells, {.target = "characters"});
  trained.model = std::make_unique<Model>();
  Json settings = Json::object().set("kind", decoder);
  if (decoder == "transformer") {
    settings.set("tied", false);  // or, before it has learnt, it says what it was fed
  }
  apply(*trained.model, Json::object().set("encoder", "none").set("decoder", settings));
  Init init(place_on("reference"), 3);
  trained.model->build(trained.fields, init);
  return trained;
}

}  // namespace heed::test
