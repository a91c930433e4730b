// heed translate: one line in, one line out, always; empty gives empty.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "heed/base/line_reader.h"
#include "heed/cli/drawing.h"
#include "heed/cli/verbs.h"
#include "heed/engine/place.h"
#include "heed/engine/translation.h"

namespace heed {
namespace {

class TranslateVerb : public Verb {
 public:
  void options(CLI::App& app) override {
    SearchOptions& s = options_.search;
    app.add_option("-m,--model", model_, "the model file")->required();
    app.add_option("text", text_, "what to translate; without it, lines of standard input");
    app.add_option("-b,--beam", s.beam, "hypotheses kept at every step")
        ->check(CLI::Range(1, 1024));
    app.add_option("--n-best", s.n_best, "print so many: `line ||| text ||| score`")
        ->check(CLI::Range(1, 1024));
    app.add_option("--normalise", s.normalise, "score by length: none, wu or length")
        ->check(CLI::IsMember(length_norms()));
    app.add_option("--alpha", s.alpha, "strength of the normalisation");
    app.add_option("--batch", options_.batch, "sentences searched together")
        ->check(CLI::Range(1, 100000));
    app.add_option("--backend", backend_, "where to compute");
    drawing_.options(app);
  }
  std::string examples() const override {
    return "  heed translate -m dates.safetensors \"3rd of May 2021\"\n"
           "  heed translate -m dates.safetensors --beam 5 < in.txt > out.txt\n"
           "  heed translate -m dates.safetensors --draw \"3rd of May 2021\"\n";
  }

  int run() override {
    const Translator translator = load_model(model_, place_on(backend_));
    options_.search.beam = std::max(options_.search.beam, options_.search.n_best);
    options_.search.weights = drawing_.is_wanted();
    options_.search.block = drawing_.block();
    options_.search.head = drawing_.head();
    if (!text_.empty()) {
      say(translator, text_);
      return 0;
    }
    LineReader reader("-");
    std::vector<std::string> lines;
    const size_t at_once = isatty(STDIN_FILENO) == 1 ? 1 : 16 * static_cast<size_t>(options_.batch);
    for (std::string line; reader.next(line);) {
      lines.push_back(line);
      if (lines.size() >= at_once) {
        say(translator, lines);
        lines.clear();
      }
    }
    say(translator, lines);
    return 0;
  }

 private:
  void say(const Translator& translator, const std::vector<std::string>& lines) {
    for (const auto& best : translate(translator, lines, options_)) {
      for (const Translation& one : best) {
        if (options_.search.n_best > 1) {
          fmt::print("{} ||| {} ||| {:.6f}\n", said_, one.text, one.score);
        } else {
          fmt::print("{}\n", one.text);
        }
        if (drawing_.is_wanted() && !one.weights.empty()) {
          drawing_.show(one);
        }
      }
      ++said_;
    }
    std::fflush(stdout);
  }

  std::string model_;
  std::vector<std::string> text_;
  std::string backend_ = "cpu";
  TranslateOptions options_;
  Drawing drawing_;
  int64_t said_ = 0;
};

}  // namespace

std::unique_ptr<Verb> translate_verb() { return std::make_unique<TranslateVerb>(); }

}  // namespace heed
