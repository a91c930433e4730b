// The drawings of the verbs that answer lines.
#include <filesystem>
#include <utility>

#include "heed/cli/answering.h"
#include "heed/cli/log.h"

namespace heed {
namespace {

/// A model's name in a drawing: that of its run's folder, or of its file.
std::string drawn_name(const std::string& path) {
  const std::filesystem::path file(path);
  const bool is_of_run = file.filename() == "model.safetensors" && file.has_parent_path();
  return is_of_run ? file.parent_path().filename().string() : file.stem().string();
}

}  // namespace

/// Fails if a model lacks the attention that is to be drawn. JSON has only that of the first model.
void Answering::check_shown() const {
  const size_t shown = drawing_.is_wanted() ? loaded_.size() : writer_.is_json ? 1 : 0;
  for (size_t i = 0; i < shown; ++i) {
    try {
      check_shown(loaded_[i]);
    } catch (const Error& error) {
      if (loaded_.size() == 1) {
        throw;
      }
      fail(error.fault(), "{}: {}: {}", verb_, path_of(models_[i]), error.what());
    }
  }
}

void Answering::check_shown(const TrainedModel& trained) const {
  if (!drawing_.draws_found()) {
    check_attends(trained, drawing_.which());
    return;
  }
  const Decoder& decoder = trained.model->decoder();
  if (drawing_.is_wanted() && loaded_.size() > 1 && !decoder.aligns()) {
    fail(Fault::usage,
         "the decoder {} has no attention to draw; leave out this model or the drawing",
         decoder.kind());
  }
}

/// An empty line has no drawing, and one that is too long for a matrix of weights has a warning
/// instead.
void Answering::draw(const std::vector<Reply>& best, const std::string& cell) {
  const bool needs_all = drawing_.is_wanted() || writer_.alignment == AlignmentForm::soft ||
                         writer_.alignment == AlignmentForm::above;
  for (const Reply& one : best) {
    const Seen& seen = one.looked();
    if (needs_all && seen.links) {
      log_warning(
          "line {}: {} source tokens are too many for a matrix of all weights; use --alignment "
          "hard",
          cells_answered_ + 1, seen.columns.size());
    } else if ((drawing_.is_wanted() || !alignment_.empty()) && !seen.times.empty() &&
               seen.weights.empty()) {
      log_warning(
          "recording {}: saw {} slots and {} tokens, too many for a matrix of all weights; draw or "
          "align a part of it",
          cells_answered_ + 1, seen.columns.size(), seen.rows.size());
    } else if (drawing_.is_wanted() && loaded_.size() > 1) {
      draw_each(cell);
      return;
    } else if (drawing_.is_wanted() &&
               (drawing_.draws_found() ? !seen.columns.empty() : !one.text.empty())) {
      drawing_.show(one, loaded_.front(), cell);
    }
  }
}

/// What each of several models answers by itself, and where it looked, beside each other.
void Answering::draw_each(const std::string& cell) {
  Drawing::Answered each{cell, {}};
  AnswerOptions alone = options_;
  alone.search.weights = drawing_.draws_found();
  alone.follow = {};  // the cell was counted when all models answered it
  bool is_there = false;
  for (size_t i = 0; i < loaded_.size(); ++i) {
    Reply said = std::move(answer(loaded_[i], {&cell, 1}, alone).front().best.front());
    is_there =
        is_there || (drawing_.draws_found() ? !said.looked().columns.empty() : !said.text.empty());
    each.answers.push_back({drawn_name(models_[i]), loaded_[i], std::move(said)});
  }
  if (is_there) {
    drawing_.show_side_by_side({each});
  }
}

}  // namespace heed
