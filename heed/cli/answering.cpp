#include "heed/cli/answering.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "heed/base/line_reader.h"
#include "heed/cli/environment.h"
#include "heed/cli/log.h"
#include "heed/data/examples.h"
#include "heed/engine/place.h"
#include "heed/model/monotonic_decoding.h"
#include "heed/nn/precision.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

void prompt(bool prompts) {
  if (prompts) {
    fmt::print(stderr, "> ");
  }
}

}  // namespace

void Answering::model_option(Options& options) {
  options
      .add("-m,--model", models_,
           "a model file, or the name of one that heed models lists; several: an ensemble")
      .takes("FILE");
}

void Answering::options(Options& options) {
  options
      .add("--table", table_,
           verb_ + " the rows of this table, read as in training, instead of lines")
      .takes("FILE");
  options.add("--column", column_, "for --table: the column where the source begins, from 1")
      .check(whole(1, 1000000))
      .takes("N")
      .with_default();
  if (labels()) {
    label_options(options);
  } else {
    search_options(options);
  }
  options.add("--precision", precision_, "precision of products with weights: f32, bf16 or int8")
      .check(one_of(precision_names()))
      .takes("NAME")
      .with_default();
  options.add("--backend", backend_, "where to compute").takes("NAME");
  options.flag("-q,--quiet", is_quiet_, "print only warnings and errors");
  drawing_.options(options);
}

void Answering::search_options(Options& options) {
  flags_.options(options, !reads_pictures());
  options.flag("--monotonic", is_monotonic_,
               "let attention only move forwards: slots before the last word's peak are closed");
  options
      .add("--alignment", alignment_,
           reads_pictures()
               ? "print where each word looked: hard, `cell-word` pairs, cells counted row by row; "
                 "soft, a list of weights for each word"
               : "print alignments: hard, `source-target` pairs; soft, a list of weights for each "
                 "word")
      .check(one_of({"hard", "soft"}))
      .takes("FORM");
  options.flag("--json", writer_.is_json,
               "print one JSON object a line: text, tokens, score, alignment");
}

void Answering::label_options(Options& options) {
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
      .with_default();
}

void Answering::load() {
  if (is_quiet_) {
    set_verbosity(Verbosity::quiet);
  }
  if (!labels()) {
    options_ = flags_.chosen(verb_);
  }
  if (models_.empty()) {
    models_.push_back("");
  }
  const Place place = place_on(backend_);
  for (const std::string& model : models_) {
    const std::string path = path_of(model);
    loaded_.push_back(load_model(path, place));
    check_kind(loaded_.back(), path);
  }
  for (const TrainedModel& trained : loaded_) {
    if (is_monotonic_) {
      look_forwards_only(*trained.model);
    }
    serve(*trained.model, precision_named(precision_));
    trained_models_.push_back(&trained);
  }
  check_same_vocabularies(trained_models_, models_);
  look();
}

std::string Answering::path_of(const std::string& model) const {
  if (labels() && model.empty()) {
    fail(Fault::usage,
         "{}: saw no --model, and none that comes with this heed labels; needs one: -m FILE",
         verb_);
  }
  const ShelfChoice choice = labels()           ? ShelfChoice::any
                             : reads_pictures() ? ShelfChoice::pictures
                                                : ShelfChoice::no_pictures;
  return model_shelf().path_of(model, verb_, choice);
}

/// Fails if another verb is meant.
void Answering::check_kind(const TrainedModel& trained, const std::string& path) const {
  const Decoder& decoder = trained.model->decoder();
  const auto* const labelling = dynamic_cast<const Labelling*>(&decoder);
  if (labels() && labelling == nullptr) {
    fail(Fault::usage,
         "{}: saw {}, whose decoder {} writes text, needs one that labels; use heed {}", verb_,
         path, decoder.kind(),
         trained.fields.source->form().has_pixels() ? "caption" : "translate");
  }
  if (!labels() && labelling != nullptr) {
    fail(Fault::usage,
         "{}: saw {}, whose decoder {} gives labels, needs one that writes text; use heed label",
         verb_, path, decoder.kind());
  }
  if (!labels()) {
    check_source(trained, path);
  } else if (!kept_label_.empty()) {
    check_kept(trained, kept_label_, verb_);
  }
}

void Answering::check_source(const TrainedModel& trained, const std::string& path) const {
  const Field& source = *trained.fields.source;
  if (source.form().has_pixels() == reads_pictures()) {
    return;
  }
  const std::string reads = source.has_tokens()          ? "text"
                            : source.is_none()           ? "no source"
                            : source.form().has_pixels() ? "pictures"
                                                         : source.kind();
  fail(Fault::usage, "{}: saw {}, which reads {}, needs a model that reads {}; use heed {}", verb_,
       path, reads, reads_pictures() ? "pictures" : "text",
       reads_pictures() ? "translate" : "caption");
}

/// Asks for attention weights where they are needed; refuses a model that has none.
void Answering::look() {
  writer_.is_n_best = options_.search.n_best > 1;
  writer_.with_ends = drawing_.shows_ends();
  writer_.alignment = alignment_ == "hard"   ? AlignmentForm::hard
                      : alignment_ == "soft" ? AlignmentForm::soft
                                             : AlignmentForm::none;
  const bool attends = std::any_of(loaded_.begin(), loaded_.end(), [](const TrainedModel& trained) {
    return trained.model->decoder().reporting_blocks() > 0;
  });
  const bool is_needed = drawing_.is_wanted() || !alignment_.empty() ||
                         options_.replaces_unknowns || options_.search.coverage > 0;
  if (is_needed && !attends && labels()) {
    fail(
        Fault::usage,
        "{}: saw a decoder without attention, needs one with it; leave out --draw, --svg and --png",
        verb_);
  }
  if (is_needed && !attends) {
    fail(Fault::usage,
         "{}: saw a decoder without attention, needs one with it; leave out --alignment, --draw, "
         "--svg, --png{}",
         verb_, reads_pictures() ? " and --coverage" : ", --coverage and --replace-unknowns");
  }
  if (writer_.is_json && alignment_.empty() && attends) {
    writer_.alignment = AlignmentForm::hard;
  }
  if (labels() && writer_.is_json && attends) {
    options_.search.weights = true;
  }
  options_.search.weights =
      options_.search.weights || drawing_.is_wanted() || writer_.alignment != AlignmentForm::none;
  options_.search.block = drawing_.block();
  options_.search.head = drawing_.head();
}

/// The number of cells that are read before they are answered. Lines are ordered by their length
/// before they are searched in batches. Pictures have one size, and their files are large.
size_t Answering::at_once() const {
  const auto batch = static_cast<size_t>(options_.batch);
  const bool has_text = loaded_.front().fields.source->has_tokens();
  return has_text ? 16 * batch : batch;
}

void Answering::print_input(const std::string& hint) {
  const bool is_talk = isatty(STDIN_FILENO) == 1;
  const bool prompts = is_talk && isatty(STDERR_FILENO) == 1 && !is_quiet_;
  if (is_talk) {
    log_info("{}: {}; Ctrl-D ends", verb_, hint);
  }
  LineReader reader("-");
  std::vector<std::string> lines;
  prompt(prompts);
  for (std::string line; reader.next(line);) {
    if (find_invalid_utf8(line)) {
      print(lines);  // the lines before the faulty one
      check_utf8(reader.where(), line);
    }
    lines.push_back(line);
    // A writer that waits for an answer before it writes the next line must get it.
    if (lines.size() >= at_once() || !reader.has_more_at_hand()) {
      print(lines);
      lines.clear();
      prompt(prompts);
    }
  }
  print(lines);
}

void Answering::print_table() {
  const Field& source = *loaded_.front().fields.source;
  if (source.is_none()) {
    fail(Fault::usage,
         "{}: saw --table and a model that reads no source, needs lines of text to continue",
         verb_);
  }
  print(read_cells(table_, source, column_));
}

void Answering::print(std::span<const std::string> cells) {
  for (size_t first = 0; first < cells.size(); first += at_once()) {
    const auto some = cells.subspan(first, std::min(at_once(), cells.size() - first));
    try {
      print_together(some);
    } catch (const Error& error) {
      if (error.fault() != Fault::file || some.size() < 2) {
        throw;
      }
      for (const std::string& cell : some) {
        print_together({&cell, 1});
      }
    }
  }
}

void Answering::print_together(std::span<const std::string> cells) {
  options_.first_line = cells_answered_ + 1;
  const auto answers = translate(trained_models_, cells, options_);
  for (size_t i = 0; i < answers.size(); ++i) {
    const std::vector<Translation>& best = answers[i];
    for (const std::string& warning : best.front().warnings) {
      log_warning("{}", warning);
    }
    fmt::print("{}", labels() ? written_labels(best, cells_answered_, loaded_.front(),
                                               {writer_.is_json, writer_.is_n_best, kept_label_})
                              : written(best, cells_answered_, loaded_.front(), writer_));
    for (const Translation& one : best) {
      if (drawing_.is_wanted() && !one.source.empty()) {  // an empty line has no drawing
        drawing_.show(one, loaded_.front(), cells[i]);
      }
    }
    ++cells_answered_;
  }
  std::fflush(stdout);
}

}  // namespace heed
