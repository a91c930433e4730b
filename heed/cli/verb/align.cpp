// heed align: where the model looks when it is forced to output a given target.
#include <fmt/core.h>

#include "heed/cli/drawing.h"
#include "heed/cli/environment.h"
#include "heed/cli/log.h"
#include "heed/cli/output.h"
#include "heed/cli/shared_options.h"
#include "heed/cli/typed_input.h"
#include "heed/cli/verbs.h"
#include "heed/data/examples.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/in_words.h"
#include "heed/engine/shelf/place.h"
#include "heed/import/import.h"
#include "heed/nn/precision.h"

namespace heed {
namespace {

class AlignVerb : public Verb {
 public:
  void options(Options& options) override {
    model_option(options, model_);
    options.add("source", source_, "source text; without it, pairs from --input or standard input")
        .check(utf8_text());
    options.add("target", target_, "target text").check(utf8_text());
    input_option(options, pairs_, "lines of source, tab, target").also("--pairs");
    output_option(options, output_);
    options
        .add("--format", format_,
             "hard: `source-target` positions; soft: a list of weights for each target token; a "
             "number such as 0.2: all pairs with at least that weight")
        .also("--alignment")
        .check(one_of_or_share({"hard", "soft"}))
        .takes("FORM")
        .with_default();
    options.under("Drawing");
    drawing_.options(options);
    Drawing::only_where_drawn(options);
    options.at("--tokens").only_with(Drawing::names());
    drawing_effects_.watch(options);
    options.under("Machine");
    backend_option(options, backend_);
  }
  std::string description() const override {
    return "Shows where a model looks while it writes a given translation: as pairs of "
           "positions, as weights, or as a drawing.";
  }
  std::string examples() const override {
    return "  heed align -m dates.safetensors --draw \"3rd of May 2021\" 2021-05-03\n"
           "  heed align -m dates.safetensors -i pairs.tsv --format soft -o weights.txt\n"
           "  heed align -m dates.safetensors --svg map.svg \"May 3, 2021\" 2021-05-03\n";
  }
  int run() override {
    if ((!pairs_.empty() && !source_.empty()) || source_.empty() != target_.empty()) {
      fail(Fault::usage, "align: {}; give SOURCE and TARGET, or --input FILE",
           !pairs_.empty()   ? "a text and --input exclude each other"
           : source_.empty() ? "the source is empty"
                             : "there is a source without a target");
    }
    drawing_.check();
    const std::string path = model_shelf().path_of(model_, "align", ShelfChoice::text);
    check_is_no_input("align", output_, {path, pairs_});
    const TrainedModel trained = load_any_model(path, place_on(backend_));
    drawing_effects_.check("align", *trained.fields.source, drawing_);
    serve(*trained.model, Precision::f32);
    if (drawing_.is_wanted() && !drawing_.draws_found()) {
      check_attends(trained, drawing_.which());
    }
    if (source_.empty()) {
      TypedInput(pairs_.empty() ? "-" : pairs_, "align", typed_pairs);
    }
    const std::vector<Example> pairs =
        source_.empty() ? read_pairs(pairs_.empty() ? "-" : pairs_, *trained.fields.source)
                        : std::vector<Example>{{source_, target_}};
    OutputFile to(output_);
    for (const Example& pair : pairs) {
      print(trained, pair);
    }
    to.commit();
    return 0;
  }

 private:
  void print(const TrainedModel& trained, const Example& pair) {
    const bool draws_found = drawing_.draws_found();
    const Reply seen =
        align(trained, pair.source, pair.target,
              draws_found ? AlignOptions{drawing_.block(), drawing_.head()} : AlignOptions{});
    const Seen words = in_words(seen, trained);
    ++line_;
    if (words.links && (format_ != "hard" || drawing_.is_wanted())) {
      log_warning(
          "line {}: {} source tokens are too many for a matrix of all weights; use --format hard",
          line_, seen.looked().columns.size());
    }
    fmt::print("{}\n",
               format_ == "soft" ? soft_alignment(words)
               : format_ == "hard" || words.weights.empty()
                   ? hard_alignment(words, drawing_.shows_ends())
                   : pharaoh(links_above(words, std::stod(format_), drawing_.shows_ends())));
    if (drawing_.is_wanted() && !seen.looked().weights.empty()) {
      drawing_.show(seen, trained, pair.source);
    }
  }

  int64_t line_ = 0;
  std::string model_;
  std::string source_;
  std::string target_;
  std::string pairs_;
  std::string output_;
  std::string format_ = "hard";
  std::string backend_ = "cpu";
  Drawing drawing_;
  DrawingEffects drawing_effects_;
};

}  // namespace

std::unique_ptr<Verb> align_verb() { return std::make_unique<AlignVerb>(); }

}  // namespace heed
