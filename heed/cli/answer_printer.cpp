#include "heed/cli/answer_printer.h"

#include <fmt/core.h>

#include <cstdio>

#include "heed/base/json.h"
#include "heed/cli/log.h"
#include "heed/cli/setting_names.h"
#include "heed/cli/whole_answer.h"
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

}  // namespace heed
