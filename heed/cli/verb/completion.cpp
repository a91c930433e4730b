// heed completion SHELL: the script that makes a shell complete heed's verbs and options.
#include "heed/cli/completion.h"

#include <fmt/core.h>

#include "heed/cli/verbs.h"

namespace heed {
namespace {

class CompletionVerb : public Verb {
 public:
  void options(Options& options) override {
    options.add("shell", shell_, "bash, zsh or fish")
        .required()
        .check(one_of(shells()))
        .takes("SHELL");
  }
  std::string examples() const override {
    return "  heed completion bash > ~/.local/share/bash-completion/completions/heed\n"
           "  heed completion zsh > ~/.zfunc/_heed\n"
           "  heed completion fish > ~/.config/fish/completions/heed.fish\n";
  }
  int run() override {
    fmt::print("{}", completion_for(shell_, verb_table()));
    return 0;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Verb> completion_verb() { return std::make_unique<CompletionVerb>(); }

}  // namespace heed
