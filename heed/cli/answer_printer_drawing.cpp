// The drawings of answers.
#include <utility>

#include "heed/cli/answer_printer.h"
#include "heed/cli/log.h"

namespace heed {

/// Fails if a model lacks the attention that is to be drawn. JSON has only that of the first model.
void AnswerPrinter::check_shown() const {
  const std::vector<TrainedModel>& all = models_->all();
  const size_t shown = drawing_.is_wanted() ? all.size() : writer_.is_json ? 1 : 0;
  for (size_t i = 0; i < shown; ++i) {
    try {
      check_shown(all[i]);
    } catch (const Error& error) {
      if (all.size() == 1) {
        throw;
      }
      fail(error.fault(), "{}: {}: {}", kind_->verb, models_->file(i), error.what());
    }
  }
}

void AnswerPrinter::check_shown(const TrainedModel& trained) const {
  if (!drawing_.draws_found()) {
    check_attends(trained, drawing_.which());
    return;
  }
  const Decoder& decoder = trained.model->decoder();
  if (drawing_.is_wanted() && models_->all().size() > 1 && !decoder.aligns()) {
    fail(Fault::usage,
         "the decoder {} has no attention to draw; leave out this model or the drawing",
         decoder.kind());
  }
}

/// An empty line has no drawing, and one that is too long for a matrix of weights has a warning
/// instead.
void AnswerPrinter::draw(const std::vector<Reply>& best, const std::string& cell, int64_t number) {
  const bool needs_all = drawing_.is_wanted() || writer_.alignment == AlignmentForm::soft ||
                         writer_.alignment == AlignmentForm::above;
  for (const Reply& one : best) {
    const Seen& seen = one.looked();
    if (needs_all && seen.links) {
      log_warning(
          "line {}: {} source tokens are too many for a matrix of all weights; use --alignment "
          "hard",
          number + 1, seen.columns.size());
    } else if ((drawing_.is_wanted() || !alignment_.empty()) && !seen.times.empty() &&
               seen.weights.empty()) {
      log_warning(
          "recording {}: saw {} slots and {} tokens, too many for a matrix of all weights; draw or "
          "align a part of it",
          number + 1, seen.columns.size(), seen.rows.size());
    } else if (drawing_.is_wanted() && models_->all().size() > 1) {
      draw_each(cell, number);
      return;
    } else if (drawing_.is_wanted() &&
               (drawing_.draws_found() ? !seen.columns.empty() : !one.text.empty())) {
      drawing_.show(one, models_->first(), cell);
    }
  }
}

/// What each of several models answers by itself, and where it looked, beside each other.
void AnswerPrinter::draw_each(const std::string& cell, int64_t number) {
  Drawing::Answered each{cell, {}};
  AnswerOptions alone = asked_;
  alone.first_line = number + 1;
  alone.search.weights = drawing_.draws_found();
  bool is_there = false;
  for (size_t i = 0; i < models_->all().size(); ++i) {
    const TrainedModel& one = models_->all()[i];
    Reply said = std::move(answer(one, {&cell, 1}, alone).front().best.front());
    is_there =
        is_there || (drawing_.draws_found() ? !said.looked().columns.empty() : !said.text.empty());
    each.answers.push_back({models_->drawn_name(i), one, std::move(said)});
  }
  if (is_there) {
    drawing_.show_side_by_side({each});
  }
}

}  // namespace heed
