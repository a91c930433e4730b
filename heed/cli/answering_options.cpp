// The options of the verbs that answer lines.
#include <fmt/format.h>

#include "heed/cli/answering.h"
#include "heed/cli/file_options.h"
#include "heed/cli/machine_options.h"
#include "heed/nn/precision.h"

namespace heed {
namespace {

/// The options beside which --tokens says what is drawn or counted.
std::vector<std::string> shows_tokens_with(AnswerKind kind) {
  std::vector<std::string> options = Drawing::names();
  if (kind != AnswerKind::labels) {
    options.insert(options.end(), {"--alignment", "--json"});
  }
  if (kind == AnswerKind::transcripts) {
    options.emplace_back("--times");
  }
  return options;
}

/// The options beside which --block and --head say whose weights are shown or read.
std::vector<std::string> reads_weights_with(AnswerKind kind) {
  std::vector<std::string> options = shows_tokens_with(kind);
  if (kind == AnswerKind::labels) {
    options.emplace_back("--json");
  } else if (kind == AnswerKind::transcripts) {
    options.insert(options.end(), {"--srt", "--vtt"});
  } else if (kind == AnswerKind::translations) {
    options.emplace_back("--replace-unknowns");
  }
  return options;
}

}  // namespace

void Answering::model_option(Options& options) {
  options
      .add("-m,--model", models_,
           "a model file, or the name of one that heed models lists; several: an ensemble")
      .takes("FILE")
      .completes("models");
}

void Answering::options(Options& options) {
  input_options(options);
  if (labels()) {
    label_options(options);
  } else {
    search_options(options);
  }
  output_options(options);
  options.under("Drawing");
  drawing_.options(options);
  Drawing::only_where_drawn(options, {"--json"});
  drawing_effects_.watch(options);
  for (const char* which : {"--ends", "--tokens"}) {
    options.at(which).only_with(shows_tokens_with(kind_));
  }
  for (const char* which : {"--block", "--head"}) {
    options.at(which).only_with(reads_weights_with(kind_));
  }
  if (kind_ == AnswerKind::transcripts) {
    for (const char* when : {"--word-starts", "--late-ms"}) {
      options.at(when).only_with(reads_weights_with(kind_));
    }
  }
  options.under("Machine");
  options.add("--precision", precision_, "precision of products with weights: f32, bf16 or int8")
      .check(one_of_precisions(precision_names()))
      .takes("NAME")
      .with_default();
  backend_option(options, backend_);
}

void Answering::input_options(Options& options) {
  options.under("Input");
  input_option(options, input_, "lines");
  options
      .add("--table", table_,
           verb_ + " the rows of this table, read as in training, instead of lines")
      .takes("FILE");
  options.add("--column", column_, "the column of the table where the source begins, from 1")
      .check(whole(1, 1000000))
      .takes("N")
      .with_default()
      .only_with({"--table"});
  options.add("--max-line-bytes", most_line_bytes_, "a longer line of the input is not answered")
      .check(whole(1, 1 << 30))
      .takes("N")
      .with_default();
}

void Answering::search_options(Options& options) {
  options.under("Search");
  flags_.options(options, reads());
  options.flag("--monotonic", is_monotonic_,
               "let attention only move forwards: slots before the last word's peak are closed");
  options
      .add("--lm", language_model_,
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
  if (labels()) {
    return;
  }
  const char* const pairs = reads() == SourceKind::text ? "`source-target` pairs"
                            : reads() == SourceKind::pictures
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

void Answering::label_options(Options& options) {
  options.under("Output");
  options
      .add("--n-best", options_.search.n_best,
           "the likeliest labels of the whole, printed as `line ||| label ||| probability`")
      .check(whole(1, 1024))
      .takes("N")
      .with_default();
  options
      .add("--keep", kept_label_,
           "print the tokens of the source that have this label, instead of labels")
      .check(utf8_text())
      .takes("LABEL");
  options.flag("--json", writer_.is_json,
               "print one JSON object a line: labels, probabilities, source, weights");
  options.add("--batch", options_.batch, "lines that are labelled together")
      .check(whole(1, 100'000))
      .takes("N")
      .with_default()
      .under("Input");
}

}  // namespace heed
