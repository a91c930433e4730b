// heed translate: one line in, one line out, always; empty gives empty.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "heed/base/line_reader.h"
#include "heed/base/log.h"
#include "heed/cli/argument.h"
#include "heed/cli/drawing.h"
#include "heed/cli/verbs.h"
#include "heed/engine/place.h"
#include "heed/engine/translation.h"
#include "heed/nn/precision.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

class TranslateVerb : public Verb {
 public:
  void options(CLI::App& app) override {
    SearchOptions& s = options_.search;
    app.add_option("-m,--model", model_, "the model file")->required()->type_name("FILE");
    given_ = app.add_option("text", text_, "what to translate; without it, standard input's lines")
                 ->check(utf8_text());
    app.add_option("-b,--beam", s.beam, "hypotheses kept at every step")
        ->check(whole(1, 1024))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--n-best", s.n_best, "print so many: `line ||| text ||| F0= log p ||| score`")
        ->check(whole(1, 1024))
        ->type_name("N");
    app.add_option("--normalise,--normalize", s.normalise, "score by length: none, wu or length")
        ->check(one_of(length_norms()))
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--alpha", s.alpha, "strength of the normalisation")
        ->check(at_least(0))
        ->type_name("X")
        ->capture_default_str();
    app.add_option("--batch", options_.batch, "sentences searched together")
        ->check(whole(1, 100000))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--precision", precision_, "of products with weights: f32, bf16 or int8")
        ->check(one_of(precision_names()))
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--backend", backend_, "where to compute")->type_name("NAME");
    drawing_.options(app);
  }
  std::string examples() const override {
    return "  heed translate -m dates.safetensors \"3rd of May 2021\"\n"
           "  heed translate -m dates.safetensors --beam 5 < in.txt > out.txt\n"
           "  heed translate -m dates.safetensors --draw \"3rd of May 2021\"\n";
  }

  int run() override {
    const Translator translator = load_model(model_, place_on(backend_));
    set_precision(*translator.model, precision_named(precision_));
    options_.search.beam = std::max(options_.search.beam, options_.search.n_best);
    options_.search.weights = drawing_.is_wanted();
    options_.search.block = drawing_.block();
    options_.search.head = drawing_.head();
    if (given_->count() > 0) {
      say(translator, {text_});
      return 0;
    }
    if (isatty(STDIN_FILENO) == 1) {
      log_info("translate: type a line and press Enter; Ctrl-D ends");
    }
    say_lines(translator);
    return 0;
  }

 private:
  void say_lines(const Translator& translator) {
    const bool is_talk = isatty(STDIN_FILENO) == 1;
    const size_t at_once = is_talk ? 1 : 16 * static_cast<size_t>(options_.batch);
    LineReader reader("-");
    std::vector<std::string> lines;
    for (std::string line; reader.next(line);) {
      if (find_invalid_utf8(line)) {
        say(translator, lines);  // what came before is good
        check_utf8(reader.where(), line);
      }
      lines.push_back(line);
      if (lines.size() >= at_once) {
        say(translator, lines);
        lines.clear();
      }
    }
    say(translator, lines);
  }

  void say(const Translator& translator, const std::vector<std::string>& lines) {
    for (const auto& best : translate(translator, lines, options_)) {
      for (const Translation& one : best) {
        say(one);
      }
      ++said_;
    }
    std::fflush(stdout);
  }

  void say(const Translation& one) {
    if (options_.search.n_best > 1) {
      fmt::print("{} ||| {} ||| F0= {:.6f} ||| {:.6f}\n", said_, one.text, one.log_probability,
                 one.score);
    } else {
      fmt::print("{}\n", one.text);
    }
    if (!drawing_.is_wanted() || one.source.empty()) {
      return;  // nothing is said of an empty line
    }
    if (one.weights.empty()) {
      fail(Fault::usage,
           "translate: this model's decoder does not attend; leave out --draw, --svg, --png");
    }
    drawing_.show(one);
  }

  std::string model_;
  std::string text_;
  const CLI::Option* given_ = nullptr;  // whether the text was, if only an empty one
  std::string backend_ = "cpu";
  std::string precision_ = "f32";
  TranslateOptions options_;
  Drawing drawing_;
  int64_t said_ = 0;
};

}  // namespace

std::unique_ptr<Verb> translate_verb() { return std::make_unique<TranslateVerb>(); }

}  // namespace heed
