// heed translate: writes exactly one line for each line it reads; an empty line gives an empty one.
// A language model continues each line, and starts a text of its own for an empty one.
#include "heed/cli/answering.h"
#include "heed/cli/verbs.h"

namespace heed {
namespace {

class TranslateVerb : public Verb {
 public:
  void options(Options& options) override {
    answering_.model_option(options);
    given_ = &options
                  .add("text", text_,
                       "the text to translate or, for a language model, to continue; without it, "
                       "the lines of standard input")
                  .check(utf8_text());
    answering_.options(options);
  }
  std::string description() const override {
    return "Writes one line for each line it reads: the best translation, or several with "
           "--n-best. A model file names the search that suits it (its beam and how it "
           "normalises for length), and that is used unless options say otherwise. A language "
           "model continues each line. Long lines are split into sentences, which are "
           "translated together and joined. With --draw, --svg or --png it shows which words "
           "of the source each word was translated from.";
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
    return answering_.run(
        {"a text", given_->is_given(), {&text_, 1}, "type a line and press Enter"});
  }

 private:
  Answering answering_{"translate"};
  std::string text_;
  const Option* given_ = nullptr;  // tells whether a text was given, possibly an empty one
};

}  // namespace

std::unique_ptr<Verb> translate_verb() { return std::make_unique<TranslateVerb>(); }

}  // namespace heed
