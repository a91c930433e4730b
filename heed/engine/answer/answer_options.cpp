#include "heed/engine/answer/answer_options.h"

#include "heed/base/error.h"

namespace heed {

namespace {

/// What an answer is called, and what is searched together.
struct Called {
  const char* answer;
  const char* sources;
};

Called called(SourceKind kind) {
  switch (kind) {
    case SourceKind::text:
      return {"translation", "sentences"};
    case SourceKind::pictures:
      return {"caption", "pictures"};
    case SourceKind::sound:
      return {"transcript", "recordings, or parts of them,"};
  }
  return {};
}

}  // namespace

void AnswerOptions::describe(Describer& d) {
  const Called names = called(reads);
  d.child("search", search);
  d.setting("prefix", prefix, {fmt::format("the beginning of every {}", names.answer)});
  d.setting("constrain", phrases,
            {fmt::format("a phrase that every {} must contain; may be repeated; the beam is 5 "
                         "unless given",
                         names.answer)});
  if (reads == SourceKind::text) {
    d.setting("replace_unknowns", replaces_unknowns,
              {"replace an unknown word by the source word it attended to most"});
    d.setting("whole", is_whole, {"do not split lines into sentences"});
    d.setting("max_source", max_source,
              {.help = "cut sentences with more tokens than this; 0: no limit",
               .least = 0,
               .most = 1'000'000});
  }
  if (reads == SourceKind::sound) {
    d.setting("max_seconds", max_seconds,
              {.help = "cut longer recordings where they are quietest", .least = 0.5, .most = 600});
  }
  d.setting("batch", batch,
            {.help = fmt::format("{} searched together; fewer if they are long", names.sources),
             .least = 1,
             .most = 100'000});
}

}  // namespace heed
