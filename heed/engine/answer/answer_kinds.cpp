#include "heed/engine/answer/answer_kinds.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/data/field.h"

namespace heed {
namespace {

template <class Is>
const AnswerKind& first_kind(Is&& is) {
  const auto found = std::find_if(answer_kinds().begin(), answer_kinds().end(), is);
  require(found != answer_kinds().end(), "answers: saw an unknown kind, needs one of the table");
  return *found;
}

}  // namespace

const std::vector<AnswerKind>& answer_kinds() {
  static const std::vector<AnswerKind> all = {
      {"translate", SourceKind::text, false, "text", "line", ShelfChoice::text},
      {"caption", SourceKind::pictures, false, "pictures", "picture", ShelfChoice::pictures},
      {"transcribe", SourceKind::sound, false, "sound", "recording", ShelfChoice::sound},
      {"label", SourceKind::text, true, "anything", "line", ShelfChoice::any},
  };
  return all;
}

const AnswerKind& answer_kind(std::string_view verb) {
  return first_kind([verb](const AnswerKind& kind) { return kind.verb == verb; });
}

const AnswerKind& answer_kind(SourceKind reads) {
  return first_kind([reads](const AnswerKind& kind) { return kind.reads == reads; });
}

SourceKind source_kind(const Field& source) {
  return source.form().has_pixels() ? SourceKind::pictures
         : source.is_sound()        ? SourceKind::sound
                                    : SourceKind::text;
}

}  // namespace heed
