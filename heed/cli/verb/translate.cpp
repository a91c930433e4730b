// heed translate: writes exactly one line for each line it reads; an empty line gives an empty one.
// A language model continues each line, and starts a text of its own for an empty one.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "heed/base/line_reader.h"
#include "heed/cli/drawing.h"
#include "heed/cli/environment.h"
#include "heed/cli/log.h"
#include "heed/cli/search_flags.h"
#include "heed/cli/translation_writer.h"
#include "heed/cli/verbs.h"
#include "heed/data/examples.h"
#include "heed/engine/place.h"
#include "heed/nn/precision.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

class TranslateVerb : public Verb {
 public:
  void options(Options& options) override {
    options
        .add("-m,--model", models_,
             "a model file, or the name of one that heed models lists; several: an ensemble")
        .takes("FILE");
    given_ = &options
                  .add("text", text_,
                       "the text to translate or, for a language model, to continue; without it, "
                       "the lines of standard input")
                  .check(utf8_text());
    options
        .add("--table", table_,
             "translate the rows of this table, read as in training, instead of lines")
        .takes("FILE");
    options.add("--column", column_, "for --table: the column where the source begins, from 1")
        .check(whole(1, 1000000))
        .takes("N")
        .with_default();
    flags_.options(options);
    options
        .add("--alignment", alignment_,
             "print alignments: hard, `source-target` pairs; soft, a list of weights for each word")
        .check(one_of({"hard", "soft"}))
        .takes("FORM");
    options.flag("--json", writer_.is_json,
                 "print one JSON object a line: text, tokens, score, alignment");
    options.add("--precision", precision_, "precision of products with weights: f32, bf16 or int8")
        .check(one_of(precision_names()))
        .takes("NAME")
        .with_default();
    options.add("--backend", backend_, "where to compute").takes("NAME");
    options.flag("-q,--quiet", is_quiet_, "print only warnings and errors");
    drawing_.options(options);
  }
  std::string examples() const override {
    return "  heed translate -m dates.safetensors \"3rd of May 2021\"\n"
           "  heed translate -m dates.safetensors --beam 5 < in.txt > out.txt\n"
           "  heed translate -m dates.safetensors --n-best 3 --json \"3rd of May 2021\"\n"
           "  heed translate -m one.safetensors -m two.safetensors --alignment hard < in.txt\n"
           "  heed translate -m dates.safetensors --draw \"3rd of May 2021\"\n"
           "  heed translate -m an4.safetensors --table test.tsv --column 2\n"
           "  heed translate -m language.safetensors --sample \"2021-0\"\n";
  }

  int run() override {
    if (is_quiet_) {
      set_verbosity(Verbosity::quiet);
    }
    options_ = flags_.chosen();
    if (given_->is_given() && !table_.empty()) {
      fail(Fault::usage, "translate: saw both a text and --table, needs one of them");
    }
    load();
    look();
    if (given_->is_given()) {
      print_translations({text_});
    } else if (!table_.empty()) {
      say_table();
    } else {
      say_lines();
    }
    return 0;
  }

 private:
  void load() {
    if (models_.empty()) {
      models_.push_back("");
    }
    const Place place = place_on(backend_);
    for (const std::string& model : models_) {
      loaded_.push_back(load_model(model_shelf().path_of(model, "translate"), place));
    }
    for (const TrainedModel& trained : loaded_) {
      serve(*trained.model, precision_named(precision_));
      trained_models_.push_back(&trained);
    }
    check_same_vocabularies(trained_models_, models_);
  }

  /// Asks for attention weights where they are needed; refuses a model that has none.
  void look() {
    writer_.is_n_best = options_.search.n_best > 1;
    writer_.with_ends = drawing_.shows_ends();
    writer_.alignment = alignment_ == "hard"   ? AlignmentForm::hard
                        : alignment_ == "soft" ? AlignmentForm::soft
                                               : AlignmentForm::none;
    bool attends = false;
    for (const TrainedModel& trained : loaded_) {
      attends = attends || trained.model->decoder().reporting_blocks() > 0;
    }
    const bool is_needed = drawing_.is_wanted() || !alignment_.empty() ||
                           options_.replaces_unknowns || options_.search.coverage > 0;
    if (is_needed && !attends) {
      fail(Fault::usage,
           "translate: saw a decoder without attention, needs one with it; leave out --alignment, "
           "--draw, --svg, --png, --coverage and --replace-unknowns");
    }
    if (writer_.is_json && alignment_.empty() && attends) {
      writer_.alignment = AlignmentForm::hard;
    }
    options_.search.weights = drawing_.is_wanted() || writer_.alignment != AlignmentForm::none;
    options_.search.block = drawing_.block();
    options_.search.head = drawing_.head();
  }

  void say_table() {
    if (loaded_.front().fields.source->is_none()) {
      fail(Fault::usage,
           "translate: saw --table and a model that reads no source, needs lines of text to "
           "continue");
    }
    const std::vector<std::string> cells =
        read_cells(table_, *loaded_.front().fields.source, column_);
    const size_t at_once = 16 * static_cast<size_t>(options_.batch);
    for (size_t first = 0; first < cells.size(); first += at_once) {
      const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(first);
      const size_t count = std::min(at_once, cells.size() - first);
      print_translations({begin, begin + static_cast<std::ptrdiff_t>(count)});
    }
  }

  void say_lines() {
    const bool is_talk = isatty(STDIN_FILENO) == 1;
    const bool prompts = is_talk && isatty(STDERR_FILENO) == 1 && !is_quiet_;
    if (is_talk) {
      log_info("translate: type a line and press Enter; Ctrl-D ends");
    }
    const size_t at_once = 16 * static_cast<size_t>(options_.batch);
    LineReader reader("-");
    std::vector<std::string> lines;
    prompt(prompts);
    for (std::string line; reader.next(line);) {
      if (find_invalid_utf8(line)) {
        print_translations(lines);  // the lines before the faulty one
        check_utf8(reader.where(), line);
      }
      lines.push_back(line);
      // A writer that waits for an answer before it writes the next line must get it.
      if (lines.size() >= at_once || !reader.has_more_at_hand()) {
        print_translations(lines);
        lines.clear();
        prompt(prompts);
      }
    }
    print_translations(lines);
  }

  static void prompt(bool prompts) {
    if (prompts) {
      fmt::print(stderr, "> ");
    }
  }

  void print_translations(const std::vector<std::string>& lines) {
    options_.first_line = lines_written_ + 1;
    for (const auto& best : translate(trained_models_, lines, options_)) {
      for (const std::string& warning : best.front().warnings) {
        log_warning("{}", warning);
      }
      fmt::print("{}", written(best, lines_written_, loaded_.front(), writer_));
      for (const Translation& one : best) {
        if (drawing_.is_wanted() && !one.source.empty()) {  // an empty line has no drawing
          drawing_.show(one, loaded_.front());
        }
      }
      ++lines_written_;
    }
    std::fflush(stdout);
  }

  std::vector<std::string> models_;
  std::string text_;
  std::string table_;
  int64_t column_ = 1;
  const Option* given_ = nullptr;  // tells whether a text was given, possibly an empty one
  std::string backend_ = "cpu";
  std::string precision_ = "f32";
  std::string alignment_;
  bool is_quiet_ = false;
  SearchFlags flags_;
  TranslateOptions options_;
  WriterOptions writer_;
  Drawing drawing_;
  std::vector<TrainedModel> loaded_;
  std::vector<const TrainedModel*> trained_models_;
  int64_t lines_written_ = 0;
};

}  // namespace

std::unique_ptr<Verb> translate_verb() { return std::make_unique<TranslateVerb>(); }

}  // namespace heed
