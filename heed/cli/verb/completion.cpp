// heed completion SHELL: the script that makes a shell complete heed's verbs and options.
#include "heed/cli/completion.h"

#include <fmt/core.h>

#include "heed/base/error.h"
#include "heed/cli/verbs.h"

namespace heed {
namespace {

class CompletionVerb : public Verb {
 public:
  void options(Options& options) override {
    options.add("shell", shell_, "bash, zsh or fish").check(one_of(shells())).takes("SHELL");
    options.add("--list", list_, "print the names of a kind instead, as the scripts ask for them")
        .check(one_of(completed_kinds()))
        .takes("KIND");
  }
  std::string description() const override {
    return "Prints a script that makes a shell complete the verbs, options and values of heed, "
           "including the names of models, recipes and settings.";
  }
  bool computes() const override { return false; }
  std::string examples() const override {
    return "  heed completion bash > ~/.local/share/bash-completion/completions/heed\n"
           "  heed completion zsh > ~/.zfunc/_heed\n"
           "  heed completion fish > ~/.config/fish/completions/heed.fish\n";
  }
  int run() override {
    if (!list_.empty()) {
      for (const std::string& name : completed_names(list_)) {
        fmt::print("{}\n", name);
      }
      return 0;
    }
    if (shell_.empty()) {
      fail(Fault::usage, "completion: the shell is missing; see heed completion --help");
    }
    fmt::print("{}", completion_for(shell_, verb_table()));
    return 0;
  }

 private:
  std::string shell_;
  std::string list_;
};

}  // namespace

std::unique_ptr<Verb> completion_verb() { return std::make_unique<CompletionVerb>(); }

}  // namespace heed
