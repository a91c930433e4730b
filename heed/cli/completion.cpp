#include "heed/cli/completion.h"

#include <fmt/format.h>

#include "heed/base/error.h"

namespace heed {
namespace {

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

std::string bash(const std::vector<VerbRow>& verbs) {
  std::string out = fmt::format(
      "# bash completion for heed, written by `heed completion bash`\n"
      "_heed() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  COMPREPLY=()\n"
      "  if (( COMP_CWORD == 1 )); then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}} $before\" in\n",
      fmt::join(names_of(verbs), " "));
  for (const VerbRow& verb : verbs) {
    for (const Option& option : verb.options.all()) {
      if (option.is_positional() || option.value().empty()) {
        continue;
      }
      std::string patterns;
      for (const std::string& name : option.names()) {
        patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : "|", verb.name, name);
      }
      const std::string answer = !option.choices().empty()
                                     ? fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))",
                                                   fmt::join(option.choices(), " "))
                                 : option.is_file() ? "COMPREPLY=($(compgen -f -- \"$word\"))"
                                                    : ":";
      out += fmt::format("    {}) {}; return ;;\n", patterns, answer);
    }
  }
  out += "  esac\n  case ${COMP_WORDS[1]} in\n";
  for (const VerbRow& verb : verbs) {
    std::vector<std::string> words = own_words(verb);
    const std::vector<std::string> options = dashed(verb);
    words.insert(words.end(), options.begin(), options.end());
    out += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")) ;;\n", verb.name,
                       fmt::join(words, " "));
  }
  return out +
         "  esac\n"
         "  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
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
  if (!option.choices().empty()) {
    return fmt::format("({})", fmt::join(option.choices(), " "));
  }
  return option.is_file() ? "_files" : " ";
}

std::string zsh(const std::vector<VerbRow>& verbs) {
  std::string out =
      "#compdef heed\n# zsh completion for heed, written by `heed completion zsh`\n_heed() {\n"
      "  local -a verbs\n  verbs=(\n";
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
          spec = fmt::format("*:{}:{}", zsh_help(option.help()),
                             option.choices().empty() ? "_files" : zsh_action(option));
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

std::string fish_option(const VerbRow& verb, const Option& option) {
  std::string line = fmt::format("complete -c heed -n '__fish_seen_subcommand_from {}'", verb.name);
  if (option.is_positional()) {
    return option.choices().empty()
               ? ""
               : fmt::format("{} -a {}\n", line,
                             in_quotes(fmt::format("{}", fmt::join(option.choices(), " "))));
  }
  for (const std::string& name : option.names()) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.value().empty()) {
    line += option.is_file() ? " -r -F" : " -x";
    if (!option.choices().empty()) {
      line += " -a " + in_quotes(fmt::format("{}", fmt::join(option.choices(), " ")));
    }
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

struct Shell {
  const char* name;
  std::string (*script)(const std::vector<VerbRow>& verbs);
};

constexpr Shell all_shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

}  // namespace

std::vector<std::string> shells() {
  std::vector<std::string> names;
  for (const Shell& shell : all_shells) {
    names.emplace_back(shell.name);
  }
  return names;
}

std::string completion_for(const std::string& shell, const std::vector<VerbRow>& verbs) {
  for (const Shell& one : all_shells) {
    if (shell == one.name) {
      return one.script(verbs);
    }
  }
  fail(Fault::usage, "completion: saw \"{}\", needs one of {}", shell, fmt::join(shells(), ", "));
}

}  // namespace heed
