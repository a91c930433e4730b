// An untrained model that reads letters and writes letters: small, and the same every time.
#pragma once

#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/data/corpus.h"
#include "heed/engine/place.h"
#include "heed/model/model_file.h"

namespace heed::test {

inline const std::vector<Example>& letters() {
  static const std::vector<Example> all = {{"abc", "cba"}, {"bad", "dab"}, {"éa日", "a日é"}};
  return all;
}

/// `more` sets further settings, as the [model] table of a recipe would.
inline Translator small_translator(const std::string& more = "{}",
                                   const std::string& tokens = "characters") {
  Translator translator;
  const VocabularyPair pair = learn_vocabularies(letters(), {.source = tokens, .target = tokens});
  translator.source = pair.source;
  translator.target = pair.target;
  translator.model = std::make_unique<Model>();
  apply(*translator.model, parse_json(R"({"embedding": 6, "encoder": {"kind": "gru", "width": 5},
    "decoder": {"kind": "attend_first", "width": 7, "embedding": 6}})",
                                      "test"));
  apply(*translator.model, parse_json(more, "test"));
  Init init(place_on("reference"), 3);
  translator.model->build(
      {static_cast<int64_t>(pair.source->size()), static_cast<int64_t>(pair.target->size())}, init);
  return translator;
}

}  // namespace heed::test
