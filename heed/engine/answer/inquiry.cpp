#include "heed/engine/answer/inquiry.h"

#include <utility>

#include "heed/engine/answer/join_pieces.h"
#include "heed/engine/answer/piece_replies.h"
#include "heed/engine/answer/request.h"

namespace heed {
namespace {

AnswerOptions checked_options(TrainedModels models, const AnswerOptions& asked) {
  require(!models.empty(), "answer: saw no model, needs one");
  const Field& source = *models.front()->fields.source;
  AnswerOptions options = bounded_options(models, asked);
  if (options.replaces_unknowns && !source.has_tokens()) {
    fail(Fault::usage, "translate: the model reads {}, not words; leave out `replace_unknowns`",
         source.kind());
  }
  return options;
}

}  // namespace

Inquiry::Inquiry(std::vector<const TrainedModel*> models, std::vector<Source> sources,
                 const AnswerOptions& asked)
    : models_(std::move(models)),
      sources_(std::move(sources)),
      options_(checked_options(models_, asked)),
      allowance_(*models_.front(), options_.is_cancelled),
      groups_(*models_.front(), sources_, options_),
      job_(models_, options_) {}

bool Inquiry::prepare() {
  const UseAllowance use(allowance_);
  std::vector<Piece*> group = groups_.next();
  if (group.empty()) {
    return false;
  }
  for (Piece* piece : group) {
    prepare_source(*models_.front()->fields.source, *piece);
  }
  given_.insert(given_.end(), group.begin(), group.end());
  job_.add(std::move(group));
  return true;
}

void Inquiry::settle() {
  job_.check();
  const UseAllowance use(allowance_);
  const TrainedModel& trained = *models_.front();
  const Field& source = *trained.fields.source;
  for (Piece* piece : std::exchange(given_, {})) {
    if (options_.follow) {
      const auto seconds = source.seconds(piece->read);
      options_.follow(seconds.empty() ? 0 : seconds.back() - seconds.front());
    }
    if (!job_.is_distinct()) {
      begin_replies(trained, options_, job_.longest(), *piece);
    }
    if (is_read_late(source)) {
      forget_source(*piece);
    }
  }
}

std::vector<Replies> Inquiry::joined() {
  std::vector<Replies> out;
  for (const std::vector<Piece>& pieces : groups_.all()) {
    out.push_back(put_together(pieces, *models_.front(), options_));
  }
  return out;
}

}  // namespace heed
