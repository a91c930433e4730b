// heed score: the log-probability and the perplexity of given pairs, or, for a language model, of
// given texts; one line each.
#include <fmt/core.h>

#include "heed/attention/slot_draws.h"
#include "heed/base/json.h"
#include "heed/cli/environment.h"
#include "heed/cli/output.h"
#include "heed/cli/shared_options.h"
#include "heed/cli/typed_input.h"
#include "heed/cli/verbs.h"
#include "heed/data/examples.h"
#include "heed/engine/answer/score_writer.h"
#include "heed/engine/shelf/place.h"
#include "heed/import/import.h"
#include "heed/nn/precision.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

class ScoreVerb : public Verb {
 public:
  void options(Options& options) override {
    model_option(options, model_);
    options
        .add("pairs", pairs_,
             "lines of source, tab, target, or of a language model's texts; the same as --input")
        .takes("FILE");
    input_option(options, input_, "pairs");
    output_option(options, output_);
    options.add("--source", source_, "a file of source lines, with --target, instead of PAIRS")
        .takes("FILE");
    options.add("--target", target_, "a file of target lines, with --source").takes("FILE");
    options.flag("--words", shows_words_,
                 "also print each token with its log-probability, token:number");
    options.flag("--summary", is_summary_, "print only one result for all pairs together");
    options.flag("--json", is_json_, "print one JSON object a line");
    options.add("--batch", batch_, "pairs scored together")
        .check(whole(1, 100000))
        .takes("N")
        .with_default();
    seed_option_ = &options
                        .add("--seed", seed_,
                             "for a model that draws the slots it looks at: another seed draws "
                             "other slots")
                        .check(seed_number())
                        .takes("N")
                        .with_default();
    options.under("Machine");
    backend_option(options, backend_);
  }
  std::string description() const override {
    return "Prints how probable a model finds given pairs: the log-probability of each target, "
           "and the perplexity of all.";
  }
  std::string examples() const override {
    return "  heed score -m dates.safetensors pairs.tsv\n"
           "  heed score -m dates.safetensors --source dates.txt --target normal.txt \\\n"
           "    --summary\n"
           "  heed score -m dates.safetensors --json --words -i pairs.tsv -o scores.jsonl\n";
  }
  int run() override {
    const bool has_sides = !source_.empty() || !target_.empty();
    if (int{!pairs_.empty()} + int{!input_.empty()} + int{has_sides} > 1 ||
        source_.empty() != target_.empty()) {
      fail(Fault::usage, "score: {}; give PAIRS, --input FILE, or --source FILE and --target FILE",
           source_.empty() == target_.empty() ? "pairs can come from one place only"
           : source_.empty()                  ? "--target is without --source"
                                              : "--source is without --target");
    }
    const std::string path = model_shelf().path_of(model_, "score", ShelfChoice::text);
    check_is_no_input("score", output_, {path, pairs_, input_, source_, target_});
    const TrainedModel trained = load_any_model(path, place_on(backend_));
    if (seed_option_->is_given() && !draws_slots(*trained.model)) {
      fail(Fault::usage,
           "score: --seed has no effect, because this model draws nothing; leave it out");
    }
    serve(*trained.model, Precision::f32);
    const bool reads_pairs = !trained.fields.source->is_none();
    if (!has_sides && pairs_.empty()) {
      TypedInput(input_.empty() ? "-" : input_, "score",
                 reads_pairs ? typed_pairs : "type a text and press Enter");
    }
    const std::vector<Example> pairs = read(trained.fields);
    OutputFile to(output_);
    PairScore total;
    for (const PairScore& score : score_pairs(trained, pairs, batch_, seed_)) {
      total.add(score);
      if (!is_summary_) {
        print(score);
      }
    }
    if (is_summary_) {
      say_total(total, pairs.size());
    }
    to.commit();
    return 0;
  }

 private:
  std::vector<Example> read(const Fields& fields) const {
    const std::string& given = pairs_.empty() ? input_ : pairs_;
    const std::string path = given.empty() ? "-" : given;
    if (!fields.source->is_none()) {
      return source_.empty() ? read_pairs(path, *fields.source)
                             : read_parallel(source_, target_, *fields.source);
    }
    if (!source_.empty()) {
      fail(Fault::usage,
           "score: this model reads no source; give a file of texts alone instead of --source and "
           "--target");
    }
    return read_texts(path);
  }

  void print(const PairScore& score) const {
    if (is_json_) {
      fmt::print("{}\n", written_score(score, shows_words_).write());
      return;
    }
    fmt::print("{:.6f}\t{:.6f}", score.log_probability, score.perplexity());
    for (size_t i = 0; shows_words_ && i < score.target.size(); ++i) {
      fmt::print("\t{}:{:.6f}", make_visible(score.target[i]), score.token_log_probability[i]);
    }
    fmt::print("\n");
  }

  void say_total(const PairScore& total, size_t pairs) const {
    if (is_json_) {
      Json object = written_score(total, false);
      object.set("pairs", pairs);
      fmt::print("{}\n", object.write());
      return;
    }
    fmt::print("pairs {}\ntokens {}\nlog-probability {:.6f}\nperplexity {:.6f}\n", pairs,
               total.tokens, total.log_probability, total.perplexity());
  }

  std::string model_;
  std::string pairs_;
  std::string input_;
  std::string output_;
  std::string source_;
  std::string target_;
  std::string backend_ = "cpu";
  int64_t batch_ = 64;
  uint64_t seed_ = 1;
  const Option* seed_option_ = nullptr;
  bool shows_words_ = false;
  bool is_summary_ = false;
  bool is_json_ = false;
};

}  // namespace

std::unique_ptr<Verb> score_verb() { return std::make_unique<ScoreVerb>(); }

}  // namespace heed
