#include "heed/cli/answer_printer.h"

#include <fmt/core.h>

#include <cstdio>
#include <utility>

#include "heed/base/json.h"
#include "heed/cli/log.h"
#include "heed/cli/output.h"
#include "heed/cli/setting_options.h"
#include "heed/engine/answer/label_writer.h"
#include "heed/engine/answer/map_writer.h"
#include "heed/engine/answer/search_reach.h"
#include "heed/text/visible.h"

namespace heed {

void AnswerPrinter::read_form() {
  writer_.with_ends = drawing_.shows_ends();
  writer_.alignment = alignment_.empty()     ? AlignmentForm::none
                      : alignment_ == "hard" ? AlignmentForm::hard
                      : alignment_ == "soft" ? AlignmentForm::soft
                                             : AlignmentForm::above;
  writer_.threshold = writer_.alignment == AlignmentForm::above ? std::stod(alignment_) : 0;
  writer_.in_tokens = drawing_.shows_tokens();
}

void AnswerPrinter::refuse_without_attention(const AnswerOptions& options) const {
  const bool draws_found = drawing_.is_wanted() && drawing_.draws_found();
  const bool is_needed = draws_found || !alignment_.empty() || options.replaces_unknowns ||
                         options.search.coverage > 0;
  if (!is_needed || models_->align()) {
    return;
  }
  if (kind_->labels) {
    fail(Fault::usage,
         "{}: the model's decoder has no attention to show; leave out --draw, --svg and --png",
         kind_->verb);
  }
  fail(
      Fault::usage,
      "{}: the model's decoder has no attention; leave out --alignment, --draw, --svg, --png{}",
      kind_->verb,
      kind_->reads == SourceKind::text ? ", --coverage and --replace-unknowns" : " and --coverage");
}

void AnswerPrinter::ask_for_what_is_shown(AnswerOptions& options, const std::string& kept) {
  kept_ = kept;
  writer_.is_n_best = options.search.n_best > 1;
  read_form();
  refuse_without_attention(options);
  check_shown();
  const bool attends = models_->align();
  if (writer_.is_json && alignment_.empty() && attends) {
    writer_.alignment = AlignmentForm::hard;
  }
  const bool draws_answer = drawing_.is_wanted() && drawing_.draws_found() &&
                            models_->all().size() == 1;  // else each model's own (draw_each)
  SearchOptions& search = options.search;
  search.weights = search.weights || draws_answer || writer_.alignment != AlignmentForm::none ||
                   (attends && (wants_weights_ || (kind_->labels && writer_.is_json)));
  if (search.weights_of == WeightsOf::automatic && kind_->reads == SourceKind::sound &&
      search_reach(models_->all(), search).shows_ctc) {
    search.weights_of = WeightsOf::ctc;
  }
  options.sees =
      draws_answer || wants_weights_ || (kind_->labels && (writer_.is_json || !kept.empty()));
  search.block = drawing_.block();
  search.head = drawing_.head();
  asked_ = options;
}

void AnswerPrinter::check_effects() const {
  drawing_effects_.check(kind_->verb, *models_->first().fields.source, drawing_);
}

std::string AnswerPrinter::text_of(const std::vector<Reply>& best, const std::string& cell,
                                   int64_t number) const {
  if (form_) {
    return form_(best, cell);
  }
  return kind_->labels ? written_labels(best, number, models_->first(),
                                        {writer_.is_json, writer_.is_n_best, kept_})
                       : written(best, number, models_->first(), writer_);
}

void AnswerPrinter::take(const std::vector<Reply>& best, const std::string& cell, int64_t number) {
  if (writer_.is_json && !drawing_.draws_found()) {
    writer_.maps = [&](const Reply& one) {
      return one.text.empty()
                 ? Json()
                 : written_maps(attention_maps(models_->first(), cell, one.text, drawing_.how().of),
                                static_cast<size_t>(writer_.top));
    };
  }
  print_whole(text_of(best, cell, number));
  draw(best, cell, number);
}

/// An answer without a text, in the place of one that cannot be given.
void AnswerPrinter::lack(const std::string& cell, int64_t number, const std::string& fault) {
  const std::string why = make_visible(naming_options(fault, *options_));
  log_error("{}", why);
  std::string answer = text_of({Reply()}, cell, number);
  if (is_json()) {
    answer = parse_json(answer, kind_->verb).set("error", why).write() + "\n";
  }
  print_whole(answer);
}

void AnswerPrinter::warn(const std::string& line) {
  log_warning("{}", naming_options(line, *options_));
}

void AnswerPrinter::end_group() { std::fflush(stdout); }

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
