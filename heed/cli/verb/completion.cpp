// heed completion SHELL: the script that makes a shell complete heed's verbs and options, from the table of
// options.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "heed/base/error.h"
#include "heed/cli/environment.h"
#include "heed/cli/verbs.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/engine/run/recipe.h"
#include "heed/metric/metrics.h"

namespace heed {
namespace {

/// The kinds of names that an Option may be completed by (Option::completes). The scripts ask for
/// them at the time of completion, because models and recipes come and go.
std::vector<std::string> completed_kinds();

/// The text in single quotes, as bash, zsh and fish read them.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char letter : text) {
    out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return out + "'";
}

std::vector<std::string> dashed(const VerbRow& verb) {
  std::vector<std::string> names;
  for (const Option& option : verb.options.all()) {
    if (!option.is_positional()) {
      names.insert(names.end(), option.names().begin(), option.names().end());
    }
  }
  return names;
}

std::vector<std::string> names_of(const std::vector<VerbRow>& verbs) {
  std::vector<std::string> names;
  for (const VerbRow& verb : verbs) {
    names.push_back(verb.name);
  }
  return names;
}

/// The words that may follow the verb: the choices of its positional arguments.
std::vector<std::string> own_words(const VerbRow& verb) {
  std::vector<std::string> words;
  for (const Option& option : verb.options.all()) {
    if (option.is_positional()) {
      words.insert(words.end(), option.choices().begin(), option.choices().end());
    }
  }
  return words;
}

/// The ending of the files that may stand for a name of this kind; empty: none may.
std::string ending_of(const std::string& kind) {
  return kind == "models" ? "safetensors" : kind == "recipes" ? "toml" : "";
}

bool offers_files(const VerbRow& verb) {
  const auto& all = verb.options.all();
  return std::any_of(all.begin(), all.end(), [](const Option& option) {
    return option.is_positional() && option.is_file() && option.completed_by().empty();
  });
}

/// What bash offers for the value of an option.
std::string bash_answer(const Option& option) {
  if (!option.completed_by().empty()) {
    return fmt::format("_heed_offer {} '{}'", option.completed_by(),
                       ending_of(option.completed_by()));
  }
  if (!option.choices().empty()) {
    return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))",
                       fmt::join(option.choices(), " "));
  }
  return option.is_file() ? "COMPREPLY=($(compgen -f -- \"$word\"))" : ":";
}

std::string bash_words(const VerbRow& verb) {
  std::string out;
  for (const Option& option : verb.options.all()) {
    if (option.is_positional() && !option.completed_by().empty()) {
      out += bash_answer(option) + "; ";
    }
  }
  std::vector<std::string> words = own_words(verb);
  const std::vector<std::string> options = dashed(verb);
  words.insert(words.end(), options.begin(), options.end());
  out += fmt::format("COMPREPLY+=($(compgen -W '{}' -- \"$word\"))", fmt::join(words, " "));
  if (offers_files(verb)) {
    out += "; [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))";
  }
  return out;
}

std::string bash(const std::vector<VerbRow>& verbs) {
  std::string out = fmt::format(
      "# bash completion for heed, written by `heed completion bash`\n"
      "_heed_offer() {{  # names of a kind that heed lists, and files with an ending\n"
      "  COMPREPLY=($(compgen -W \"$(\"${{COMP_WORDS[0]}}\" completion --list \"$1\" "
      "2>/dev/null)\" -- "
      "\"$word\"))\n"
      "  [[ -z $2 ]] || COMPREPLY+=($(compgen -f -X \"!*.$2\" -- \"$word\") $(compgen -d -- "
      "\"$word\"))\n"
      "  [[ $1 != settings ]] || compopt -o nospace 2>/dev/null\n"
      "}}\n"
      "_heed() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  COMPREPLY=()\n"
      "  if (( COMP_CWORD == 1 )); then\n"
      "    COMPREPLY=($(compgen -W '{} help version --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}} $before\" in\n"
      "    'help help') COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
      fmt::join(names_of(verbs), " "), fmt::join(names_of(verbs), " "));
  for (const VerbRow& verb : verbs) {
    for (const Option& option : verb.options.all()) {
      if (option.is_positional() || option.value().empty()) {
        continue;
      }
      std::string patterns;
      for (const std::string& name : option.names()) {
        patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : "|", verb.name, name);
      }
      out += fmt::format("    {}) {}; return ;;\n", patterns, bash_answer(option));
    }
  }
  out += "  esac\n  case ${COMP_WORDS[1]} in\n";
  for (const VerbRow& verb : verbs) {
    out += fmt::format("    {}) {} ;;\n", verb.name, bash_words(verb));
  }
  return out +
         "  esac\n"
         "}\n"
         "complete -o filenames -F _heed heed\n";
}

/// Escapes [ ] and :, which have a meaning in zsh's _arguments.
std::string zsh_help(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    out += letter == '[' || letter == ']' || letter == ':' || letter == '\\'
               ? std::string("\\") + letter
               : std::string(1, letter);
  }
  return out;
}

std::string zsh_action(const Option& option) {
  if (!option.completed_by().empty()) {
    return "_heed_" + option.completed_by();
  }
  if (!option.choices().empty()) {
    return fmt::format("({})", fmt::join(option.choices(), " "));
  }
  return option.is_file() ? "_files" : " ";
}

/// A function for each kind of names that heed lists.
std::string zsh_lists() {
  std::string out;
  for (const std::string& kind : completed_kinds()) {
    const std::string ending = ending_of(kind);
    out += fmt::format(
        "_heed_{0}() {{\n"
        "  compadd {1}-- ${{(f)\"$($program completion --list {0} 2>/dev/null)\"}}\n{2}}}\n",
        kind, kind == "settings" ? "-S '' " : "",
        ending.empty() ? "" : fmt::format("  _files -g '*.{}'\n", ending));
  }
  return out;
}

std::string zsh(const std::vector<VerbRow>& verbs) {
  std::string out = "#compdef heed\n# zsh completion for heed, written by `heed completion zsh`\n" +
                    zsh_lists() +
                    "_heed() {\n"
                    "  local program=$words[1]\n  local -a verbs\n  verbs=(\n";
  for (const VerbRow& verb : verbs) {
    out += fmt::format("    {}\n", in_quotes(verb.name + ":" + zsh_help(verb.help)));
  }
  out +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n"
      "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $verb in\n";
  for (const VerbRow& verb : verbs) {
    out += fmt::format("    {})\n      _arguments", verb.name);
    for (const Option& option : verb.options.all()) {
      for (const std::string& name : option.names()) {
        std::string spec;
        if (option.is_positional()) {
          const bool has_names = !option.choices().empty() || !option.completed_by().empty();
          spec = fmt::format("*:{}:{}", zsh_help(option.help()),
                             has_names ? zsh_action(option) : "_files");
        } else {
          spec = fmt::format("*{}[{}]", name, zsh_help(option.help()));
          spec += option.value().empty()
                      ? ""
                      : fmt::format(":{}:{}", zsh_help(option.value()), zsh_action(option));
        }
        out += " \\\n        " + in_quotes(spec);
        if (option.is_positional()) {
          break;
        }
      }
    }
    out += "\n      ;;\n";
  }
  return out + "  esac\n}\n_heed \"$@\"\n";
}

/// What fish offers for a value beside files.
std::string fish_names(const Option& option) {
  return option.completed_by().empty()
             ? fmt::format("{}", fmt::join(option.choices(), " "))
             : fmt::format("(heed completion --list {} 2>/dev/null)", option.completed_by());
}

std::string fish_option(const VerbRow& verb, const Option& option) {
  std::string line = fmt::format("complete -c heed -n '__fish_seen_subcommand_from {}'", verb.name);
  const std::string names = fish_names(option);
  if (option.is_positional()) {
    return names.empty() ? "" : fmt::format("{} -a {}\n", line, in_quotes(names));
  }
  for (const std::string& name : option.names()) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.value().empty()) {
    line += option.is_file() ? " -r -F" : " -x";
    line += names.empty() ? "" : " -a " + in_quotes(names);
  }
  return fmt::format("{} -d {}\n", line, in_quotes(option.help()));
}

std::string fish(const std::vector<VerbRow>& verbs) {
  std::string out = "# fish completion for heed, written by `heed completion fish`\n";
  for (const VerbRow& verb : verbs) {
    out += fmt::format("complete -c heed -n __fish_use_subcommand -f -a {} -d {}\n", verb.name,
                       in_quotes(verb.help));
  }
  for (const VerbRow& verb : verbs) {
    for (const Option& option : verb.options.all()) {
      out += fish_option(verb, option);
    }
  }
  return out;
}

std::vector<std::string> shelved_model_names() {
  std::vector<std::string> names;
  for (const ShelvedModel& model : model_shelf().listed()) {
    names.push_back(model.name);
  }
  return names;
}

std::vector<std::string> recipe_names() {
  std::vector<std::string> names;
  for (const auto& [name, path] : shelved_recipes()) {
    names.push_back(name);
  }
  return names;
}

/// `model.encoder.width=`, … of a recurrent and of a transformer model.
std::vector<std::string> setting_paths() {
  std::set<std::string> paths;
  for (const char* kind : {"", "transformer"}) {
    Recipe recipe;
    if (*kind != '\0') {
      apply(*recipe.model, Json::object().set("encoder", kind).set("decoder", kind));
    }
    for (const SettingHelp& setting : explain(recipe)) {
      paths.insert(setting.path + "=");
    }
  }
  return {paths.begin(), paths.end()};
}

struct Kind {
  const char* name;
  std::vector<std::string> (*names)();
};

constexpr Kind all_kinds[] = {
    {"models", shelved_model_names},
    {"recipes", recipe_names},
    {"settings", setting_paths},
    {"metrics", [] { return metrics().names(); }},
};

struct Shell {
  const char* name;
  std::string (*script)(const std::vector<VerbRow>& verbs);
};

constexpr Shell all_shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

/// bash, zsh, fish.
std::vector<std::string> shells() {
  std::vector<std::string> names;
  for (const Shell& shell : all_shells) {
    names.emplace_back(shell.name);
  }
  return names;
}

std::vector<std::string> completed_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : all_kinds) {
    names.emplace_back(kind.name);
  }
  return names;
}

std::vector<std::string> completed_names(const std::string& kind) {
  const auto* const found = std::find_if(std::begin(all_kinds), std::end(all_kinds),
                                         [&kind](const Kind& one) { return kind == one.name; });
  require(found != std::end(all_kinds), "completion: saw the kind {}, which there is not", kind);
  return found->names();
}

/// The script that makes this shell complete `heed`.
std::string completion_for(const std::string& shell, const std::vector<VerbRow>& verbs) {
  for (const Shell& one : all_shells) {
    if (shell == one.name) {
      return one.script(verbs);
    }
  }
  fail(Fault::usage, "completion: there is none for \"{}\"; choose one of {}", shell,
       fmt::join(shells(), ", "));
}

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
