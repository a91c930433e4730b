// An untrained model that reads letters and writes letters: small, and the same every time.
#pragma once

#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/data/learn_fields.h"
#include "heed/engine/shelf/place.h"
#include "heed/model/file/model_file.h"

namespace heed::test {

inline const std::vector<Example>& letters() {
  static const std::vector<Example> all = {{"abc", "cba"}, {"bad", "dab"}, {"éa日", "a日é"}};
  return all;
}

/// `more` sets further settings, as the [model] table of a recipe would.
inline TrainedModel small_trained_model(const std::string& more = "{}",
                                        const std::string& tokens = "characters") {
  TrainedModel trained;
  trained.fields = learn_fields(letters(), {.source = tokens, .target = tokens});
  trained.model = std::make_unique<Model>();
  apply(*trained.model, parse_json(R"({"embedding": 6, "encoder": {"kind": "gru", "width": 5},
    "decoder": {"kind": "attend_first", "width": 7, "embedding": 6}})",
                                   "test"));
  apply(*trained.model, parse_json(more, "test"));
  Init init(place_on("reference"), 3);
  trained.model->build(trained.fields, init);
  return trained;
}

}  // namespace heed::test
