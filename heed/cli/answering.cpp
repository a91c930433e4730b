#include "heed/cli/answering.h"

#include <fmt/format.h>

#include <chrono>

#include "heed/cli/environment.h"
#include "heed/cli/log.h"
#include "heed/cli/output.h"
#include "heed/cli/progress.h"
#include "heed/cli/shared_options.h"
#include "heed/cli/typed_input.h"
#include "heed/engine/answer/search_reach.h"
#include "heed/nn/precision.h"

namespace heed {
namespace {

/// The options beside which --tokens says what is drawn or counted.
std::vector<std::string> shows_tokens_with(const AnswerKind& kind) {
  std::vector<std::string> options = Drawing::names();
  if (!kind.labels) {
    options.insert(options.end(), {"--alignment", "--json"});
  }
  if (kind.reads == SourceKind::sound) {
    options.emplace_back("--times");
  }
  return options;
}

/// The options beside which --block and --head say whose weights are shown or read.
std::vector<std::string> reads_weights_with(const AnswerKind& kind) {
  std::vector<std::string> options = shows_tokens_with(kind);
  if (kind.labels) {
    options.emplace_back("--json");
  } else if (kind.reads == SourceKind::sound) {
    options.insert(options.end(), {"--srt", "--vtt"});
  } else if (kind.reads == SourceKind::text) {
    options.emplace_back("--replace-unknowns");
  }
  return options;
}

}  // namespace

int Answering::run(const Given& given) {
  check_one_source(given.words, given.are_there);
  load();
  if (given.are_there) {
    if (given.cells.size() == 1) {
      input_.check_is_no_file(given.cells.front(), *models_.first().fields.source);
    }
    loop_->answer_cells(given.cells);
  } else if (has_table()) {
    loop_->answer_cells(table_cells());
  } else {
    answer_lines(given.hint);
  }
  return finish();
}

void Answering::load() {
  printer_.check();
  if (is_quiet_) {
    set_verbosity(Verbosity::quiet);
  }
  if (!kind_.labels) {
    flags_.chosen(kind_.verb, Json::object(), "");  // what contradicts itself is reported at once
  }
  const auto begun = std::chrono::steady_clock::now();
  ChosenModels::Say say;
  if (verbosity() == Verbosity::verbose) {
    say = [](const std::string& line) { log_detail("{}", line); };
  }
  models_.load(choice_, model_shelf(), say);
  choose_search();
  printer_.ask_for_what_is_shown(options_, choice_.kept_label);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  if (!kind_.labels) {
    log_detail("search: {}", summary(options_.search));
  }
  log_detail("loaded in {}", format_short_time(taken.count()));
  std::vector<std::string> inputs = input_.files();
  const std::vector<std::string> models = models_.files();
  inputs.insert(inputs.end(), models.begin(), models.end());
  check_is_no_input(kind_.verb, output_, inputs);
  to_ = std::make_unique<OutputFile>(output_);
  loop_.emplace(kind_, models_.together(), options_, printer_);
}

/// The settings of search that are not given are those that the first model wants.
void Answering::choose_search() {
  if (!kind_.labels) {
    options_ = flags_.chosen(kind_.verb, models_.first().search, models_.file(0));
    flags_.check_effects(kind_.verb, options_.search, search_reach(models_.all(), options_.search));
  }
  printer_.check_effects();
  options_.search.language_model = models_.load_language_model();
}

std::vector<std::string> Answering::table_cells() const {
  const Field& source = *models_.first().fields.source;
  if (source.is_none()) {
    fail(Fault::usage,
         "{}: --table is for models that read a source, and this one reads none; give lines of "
         "text to continue",
         kind_.verb);
  }
  return input_.table_cells(source);
}

void Answering::answer_lines(const std::string& hint) {
  const bool goes_elsewhere = !output_.empty() || !is_terminal_output();
  input_.answer_lines(*loop_, hint, input_.may_show_progress() && goes_elsewhere);
}

int Answering::finish() {
  to_->commit();
  return loop_->exit_code();
}

void Answering::model_option(Options& options) {
  options
      .add("-m,--model", choice_.models,
           "a model file, or the name of one that heed models lists; several: an ensemble")
      .takes("FILE")
      .completes("models");
}

void Answering::options(Options& options) {
  input_.options(options);
  if (kind_.labels) {
    label_options(options);
  } else {
    search_options(options);
  }
  output_options(options);
  printer_.drawing_options(options);
  machine_options(options);
}

void Answering::machine_options(Options& options) {
  options.under("Machine");
  options
      .add("--precision", choice_.precision,
           "precision of products with weights: f32, bf16 or int8")
      .check(one_of_precisions(precision_names()))
      .takes("NAME")
      .with_default();
  backend_option(options, choice_.backend);
}

void Answering::search_options(Options& options) {
  options.under("Search");
  flags_.options(options, kind_.reads);
  options.flag("--monotonic", choice_.is_monotonic,
               "let attention only move forwards: slots before the last word's peak are closed");
  options
      .add("--lm", choice_.language_model,
           "a language model with the same target vocabulary, whose log-probabilities are added "
           "(--lm-weight)")
      .takes("FILE")
      .completes("models")
      .under("Several models and decoders");
}

void Answering::output_options(Options& options) {
  options.under("Output");
  output_option(options, output_);
  options.flag("-q,--quiet", is_quiet_, "print only warnings and errors");
  printer_.form_options(options);
}

void Answering::label_options(Options& options) {
  options.under("Output");
  options
      .add("--n-best", options_.search.n_best,
           "the likeliest labels of the whole, printed as `line ||| label ||| probability`")
      .check(whole(1, 1024))
      .takes("N")
      .with_default();
  options
      .add("--keep", choice_.kept_label,
           "print the tokens of the source that have this label, instead of labels")
      .check(utf8_text())
      .takes("LABEL");
  printer_.label_form_options(options);
  options.add("--batch", options_.batch, "lines that are labelled together")
      .check(whole(1, 100'000))
      .takes("N")
      .with_default()
      .under("Input");
}

void AnswerPrinter::form_options(Options& options) {
  if (kind_->labels) {
    return;  // label_options has its own
  }
  const char* const pairs = kind_->reads == SourceKind::text ? "`source-target` pairs"
                            : kind_->reads == SourceKind::pictures
                                ? "`cell-word` pairs, cells counted row by row"
                                : "`slot-word` pairs";
  options
      .add("--alignment", alignment_,
           fmt::format("print where each word looked: hard, {}; soft, a list of weights for each "
                       "word; a number such as 0.2, all pairs with at least that weight",
                       pairs))
      .check(one_of_or_share({"hard", "soft"}))
      .takes("FORM");
  options.flag(
      "--json", writer_.is_json,
      "print one JSON object a line: text, tokens, score, alignment, and for each word the "
      "entropy of its weights and where it looked most; with --attention self or encoder, "
      "or --heads, the weights of every head, too; error, if there is no answer");
  options.add("--top-slots", writer_.top, "list this many of the most attended words for each word")
      .check(whole(1, 1000))
      .takes("K")
      .with_default()
      .only_with({"--json"});
  options.flag(
      "--raw", writer_.is_raw,
      "print control characters in texts as they are, not as ␊ and the like; an answer may "
      "then be several lines");
}

void AnswerPrinter::label_form_options(Options& options) {
  options.flag("--json", writer_.is_json,
               "print one JSON object a line: labels, probabilities, source, weights");
}

void AnswerPrinter::drawing_options(Options& options) {
  options_ = &options;
  options.under("Drawing");
  drawing_.options(options);
  Drawing::only_where_drawn(options, {"--json"});
  drawing_effects_.watch(options);
  for (const char* which : {"--ends", "--tokens"}) {
    options.at(which).only_with(shows_tokens_with(*kind_));
  }
  for (const char* which : {"--block", "--head"}) {
    options.at(which).only_with(reads_weights_with(*kind_));
  }
  if (!kind_->labels && kind_->reads == SourceKind::sound) {
    for (const char* when : {"--word-starts", "--word-ends", "--late-ms"}) {
      options.at(when).only_with(reads_weights_with(*kind_));
    }
  }
}

}  // namespace heed
