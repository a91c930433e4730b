// heed label: gives every token of a line a label, or the whole line one; a line for each line it
// reads, an empty one for an empty one. A source may be anything that the model reads: a text, or the
// name of a file of numbers, sound or a picture, as in a table.
#include "heed/cli/answering.h"
#include "heed/cli/verbs.h"

namespace heed {
namespace {

class LabelVerb : public Verb {
 public:
  void options(Options& options) override {
    answering_.model_option(options);
    options
        .add("sources", sources_,
             "texts, or files if the model reads pictures or sound; without any, the lines of "
             "standard input")
        .check(utf8_text());
    answering_.options(options);
  }
  std::string description() const override {
    return "Gives every token of a line a label, or the whole line one. A source may be a text "
           "or, if the model reads such, the name of a sound file, a picture or a file of "
           "numbers.";
  }
  std::string examples() const override {
    return "  heed label -m trends.safetensors \"3 7 7 2\"\n"
           "  heed label -m compression.safetensors --keep keep < sentences.txt\n"
           "  heed label -m topics.safetensors --n-best 3 --json < letters.txt\n"
           "  heed label -m topics.safetensors --draw \"please send me the invoice\"\n";
  }

  int run() override {
    return answering_.run({"sources", !sources_.empty(), sources_, "type a line and press Enter"});
  }

 private:
  Answering answering_{"label"};
  std::vector<std::string> sources_;
};

}  // namespace

std::unique_ptr<Verb> label_verb() { return std::make_unique<LabelVerb>(); }

}  // namespace heed
