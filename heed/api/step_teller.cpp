#include "heed/api/step_teller.h"

namespace heed {
namespace {

std::vector<HeadChoice> choices(const std::vector<AttentionChoice>& asked) {
  std::vector<HeadChoice> all;
  for (const AttentionChoice& one : asked) {
    all.push_back({one.block, one.head});
  }
  return all;
}

Continuation::Fate fate_of(Fate fate) {
  switch (fate) {
    case Fate::kept:
      return Continuation::Fate::kept;
    case Fate::finished:
      return Continuation::Fate::finished;
    case Fate::cut:
      return Continuation::Fate::cut;
    case Fate::pruned:
      break;
  }
  return Continuation::Fate::pruned;
}

}  // namespace

StepTeller::StepTeller(const RequestWatcher& program, const Vocabulary& words, RequestJob& job,
                       const Piece& piece)
    : program_(program), words_(words), job_(job), source_(piece.number), part_(piece.place) {}

WatchWish StepTeller::wish() const {
  heard_ = 0;
  return {program_.rivals, choices(program_.source), choices(program_.self)};
}

void StepTeller::hear(const WatchedStep& step) {
  if (++heard_ <= told_ || !job_.goes_on()) {
    return;
  }
  ++told_;
  try {
    program_.on_step(told(step));
  } catch (...) {
    job_.give_up(std::current_exception());
  }
}

AnswerStep StepTeller::told(const WatchedStep& step) const {
  AnswerStep out{source_, part_, step.beam, step.words, {}, {}};
  for (const WatchedHypothesis& one : step.from) {
    Continued& from = out.from.emplace_back();
    from.node = one.node;
    from.log_probability = one.log_probability;
    from.source = one.source;
    from.self = one.self;
    for (const WatchedWord& rival : one.rivals) {
      from.rivals.push_back({rival.word, words_.token(rival.word), rival.log_probability});
    }
  }
  for (const WatchedContinuation& one : step.continuations) {
    out.continuations.push_back({one.parent, one.node, one.word, words_.token(one.word),
                                 fate_of(one.fate), one.log_probability, one.score});
  }
  return out;
}

}  // namespace heed
