// Small untrained models that read what files hold.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/config/apply.h"
#include "heed/data/fields.h"
#include "heed/data/learn_fields.h"
#include "heed/engine/shelf/place.h"
#include "heed/model/file/model_file.h"

namespace heed::test {

/// `source` are the settings of its field, `settings` those of the model.
inline TrainedModel model_of_files(const std::string& source, const std::string& settings) {
  FieldChoice choice;
  apply(choice, parse_json(R"({"source": )" + source + "}", "test"));
  TrainedModel trained;
  trained.fields = learn_fields(std::vector<Example>{{"a", "ab"}},
                                {.source = "characters", .target = "characters"});
  trained.fields.source = choice.made().source;
  trained.model = std::make_unique<Model>();
  apply(*trained.model, parse_json(settings, "test"));
  Init init(place_on("cpu"), 3);
  trained.model->build(trained.fields, init);
  return trained;
}

inline TrainedModel hearing_model() {
  return model_of_files(R"({"kind": "sound"})", R"({
    "front": {"kind": "frames", "stack": 8, "stride": 8}, "embedding": 4,
    "encoder": {"kind": "gru", "width": 3},
    "decoder": {"kind": "attend_first", "width": 3, "embedding": 2}})");
}

inline TrainedModel seeing_model() {
  return model_of_files(R"({"kind": "picture", "side": 16})", R"({
    "front": {"kind": "patches", "size": 8}, "embedding": 4,
    "encoder": {"kind": "identity"},
    "decoder": {"kind": "attend_first", "width": 3, "embedding": 2}})");
}

/// Of rows of two numbers; `cells` says how a table has them.
inline TrainedModel counting_model(const std::string& cells) {
  return model_of_files(R"({"kind": "features", "width": 2, "cells": ")" + cells + R"("})", R"({
    "front": {"kind": "frames", "normalise": false}, "embedding": 4,
    "encoder": {"kind": "gru", "width": 3},
    "decoder": {"kind": "attend_first", "width": 3, "embedding": 2}})");
}

}  // namespace heed::test
