// What is given for a source: a translation, a caption, a transcript or labels.
#pragma once

#include <string_view>
#include <vector>

#include "heed/engine/answer/answer_options.h"
#include "heed/engine/shelf/model_shelf.h"

namespace heed {

class Field;

struct AnswerKind {
  const char* verb;   // what the models are asked to do; messages begin with it
  SourceKind reads;   // what its models read; those that label read anything
  bool labels;        // its models label, and write no text
  const char* what;   // that its models read, in a message
  const char* unit;   // one source, in a message
  ShelfChoice shelf;  // what a model must read where none is named
};

/// All of them.
const std::vector<AnswerKind>& answer_kinds();
/// The one with this verb, which there must be.
const AnswerKind& answer_kind(std::string_view verb);
/// The one that gives text for such sources.
const AnswerKind& answer_kind(SourceKind reads);

/// Anything but pictures and recordings counts as text.
SourceKind source_kind(const Field& source);

}  // namespace heed
