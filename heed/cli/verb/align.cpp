// heed align: where the model looks when it is made to say a given target (forced decoding).
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "heed/cli/drawing.h"
#include "heed/cli/verbs.h"
#include "heed/data/examples.h"
#include "heed/engine/place.h"
#include "heed/engine/translation.h"

namespace heed {
namespace {

class AlignVerb : public Verb {
 public:
  void options(CLI::App& app) override {
    app.add_option("-m,--model", model_, "the model file")->required();
    app.add_option("source", source_,
                   "source text; without it, `source TAB target` lines from --pairs");
    app.add_option("target", target_, "target text");
    app.add_option("--pairs", pairs_, "a file of pairs, - for standard input");
    app.add_option("--format", format_, "hard: source-target pairs; soft: weights")
        ->check(CLI::IsMember({"hard", "soft"}));
    app.add_option("--backend", backend_, "where to compute");
    drawing_.options(app);
  }
  std::string examples() const override {
    return "  heed align -m dates.safetensors --draw \"3rd of May 2021\" 2021-05-03\n"
           "  heed align -m dates.safetensors --pairs pairs.tsv --format soft\n"
           "  heed align -m dates.safetensors --svg map.svg \"May 3, 2021\" 2021-05-03\n";
  }
  int run() override {
    if (pairs_.empty() && (source_.empty() || target_.empty())) {
      fail(Fault::usage, "align: saw no pair, needs SOURCE and TARGET, or --pairs FILE");
    }
    const Translator translator = load_model(model_, place_on(backend_));
    if (pairs_.empty()) {
      say(translator, {source_, target_});
      return 0;
    }
    for (const Example& pair : read_pairs(pairs_)) {
      say(translator, pair);
    }
    return 0;
  }

 private:
  void say(const Translator& translator, const Example& pair) {
    const Translation seen =
        align(translator, pair.source, pair.target, {drawing_.block(), drawing_.head()});
    fmt::print("{}\n", format_ == "soft" ? soft_alignment(seen) : hard_alignment(seen));
    if (drawing_.is_wanted()) {
      drawing_.show(seen);
    }
  }

  std::string model_;
  std::string source_;
  std::string target_;
  std::string pairs_;
  std::string format_ = "hard";
  std::string backend_ = "cpu";
  Drawing drawing_;
};

}  // namespace

std::unique_ptr<Verb> align_verb() { return std::make_unique<AlignVerb>(); }

}  // namespace heed
