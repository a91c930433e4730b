// A model that a server answers with.
#pragma once

#include <string>
#include <vector>

#include "heed/api/loaded_model.h"
#include "heed/engine/answer/answer_kinds.h"

namespace heed {

struct ServedModel {
  std::string name;
  LoadedModel model;
  const AnswerKind* kind;  // what it gives for a source
  int64_t created = 0;     // when its file was written, in seconds since 1970
};

/// The model of this name or, without one, the first that gives this kind of answer. Fault::usage where
/// there is none, with a suggestion.
const ServedModel& model_for(const std::vector<ServedModel>& models, const std::string& name,
                             const AnswerKind& kind);

}  // namespace heed
